// The official conformance suite against `ken serve --mcp`: exactly what each revision requires of a server.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { project, served } from './place.ts';

const SUITE = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** How many checks of the required scenarios passed; what is reported without being required is left out. */
function counted(said: string, revision: string): string {
  const list = readFileSync(join(SUITE, '../../requirements', `${revision}.yaml`), 'utf8');
  const unscored = new Set([...list.matchAll(/^ +- scenario: (\S+)/gm)].map(([, name]) => name));
  const scenarios = [...said.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed/gm)];
  const required = scenarios.filter(([, name]) => !unscored.has(name));
  const sum = (at: number) => required.reduce((total, scenario) => total + Number(scenario[at]), 0);
  return `${required.length} required scenarios, ${sum(2)} checks passed, ${sum(3)} failed as expected`;
}

for (const revision of ['2025-11-25', '2026-07-28']) {
  await project(async (place) => {
    await served(place, undefined, async (url) => {
      const baseline = join(import.meta.dirname, `conformance-${revision}.yml`);
      const words = ['server', '--url', url.href, '--requirements', revision, '--expected-failures', baseline];
      const options = { cwd: place.repository, env: place.env, encoding: 'utf8' as const, timeout: 120_000 };
      try {
        const said = execFileSync(process.execPath, [SUITE, ...words], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
        console.log(`ok: ${revision}: ${counted(said, revision)}`);
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string };
        console.error(stdout, stderr);
        throw new Error(`the conformance suite found something new in ${revision}`);
      }
    });
  });
}
