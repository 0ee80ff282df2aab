// The command line of the official Inspector: what a person sees who looks at the server with it.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { KEN, project, served } from './place.ts';
import type { Place } from './place.ts';

const INSPECTOR = join(
  import.meta.dirname,
  'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);
const LESSON = 'Retry network calls with jitter, or all clients come back at once.';

function inspect(place: Place, target: string[], ...words: string[]): any {
  const all = [INSPECTOR, '--cli', ...target, '--format', 'json', '--quiet', ...words];
  const options = { cwd: place.repository, env: place.env, encoding: 'utf8' as const, timeout: 60_000 };
  const said = JSON.parse(execFileSync(process.execPath, all, { ...options, stdio: ['ignore', 'pipe', 'pipe'] }));
  return said.result ?? said;
}

function look(place: Place, target: string[], name: string): void {
  const ask = (...words: string[]) => inspect(place, target, '--method', ...words);
  // Strict: no schema of ours is one that some host cannot read.
  const { tools } = ask('tools/list', '--strict');
  assert.deepEqual(tools.map((tool: any) => tool.name), ['recall', 'show_entry', 'brief', 'remember', 'correct_entry', 'finish', 'check', 'queue']);
  const lesson = { statement: LESSON, evidence: ['pr:1'], anchors: ['src/net.rs#retry'], verify: ['look'] };
  const added = ask('tools/call', '--tool-name', 'remember', '--tool-args-json', JSON.stringify(lesson));
  assert.ok(['added', 'reinforced'].includes(added.structuredContent.outcome), JSON.stringify(added));
  const found = ask('tools/call', '--tool-name', 'recall', '--tool-arg', 'query=retry with jitter');
  assert.equal(found.structuredContent.results[0].id, added.structuredContent.id);
  const uri = `ken://entry/${added.structuredContent.id}`;
  assert.ok(ask('resources/read', '--uri', uri).contents[0].text.includes(LESSON));
  console.log(`ok: ${name}`);
}

await project(async (place) => {
  look(place, [KEN, 'mcp', '--protocol-era', 'modern'], 'pipes, modern');
  await served(place, async (url) => {
    const target = [url.href, '--transport', 'http', '--header', `Authorization: Bearer ${place.token}`];
    look(place, [...target, '--protocol-era', 'legacy'], 'HTTP with a token, legacy');
  });
});
