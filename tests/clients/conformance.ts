// The official conformance suite against `ken serve --mcp`: exactly what each revision requires of a server.

import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { project, served } from './place.ts';

const SUITE = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** The suite shows no token: what it sends goes through here, gets one, and stays as it was otherwise. */
async function withToken(token: string, url: URL, work: (url: URL) => Promise<void>): Promise<void> {
  const between = createServer((asked, answer) => {
    const { method, url: path, headers } = asked;
    const options = { host: url.hostname, port: url.port, path, method, headers: { ...headers, authorization: `Bearer ${token}` } };
    const onward = forward(options, (reply) => {
      answer.writeHead(reply.statusCode!, reply.headers);
      reply.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    asked.pipe(onward);
  });
  await new Promise<void>((ready) => between.listen(0, '127.0.0.1', ready));
  try {
    await work(new URL(url.pathname, `http://127.0.0.1:${(between.address() as AddressInfo).port}`));
  } finally {
    between.closeAllConnections();
    between.close();
  }
}

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
    await served(place, async (own) => await withToken(place.token, own, async (url) => {
      const baseline = join(import.meta.dirname, `conformance-${revision}.yml`);
      const words = ['server', '--url', url.href, '--requirements', revision, '--expected-failures', baseline];
      const options = { cwd: place.repository, env: place.env, encoding: 'utf8' as const, timeout: 120_000 };
      try {
        const { stdout } = await promisify(execFile)(process.execPath, [SUITE, ...words], { ...options, maxBuffer: 1 << 26 });
        console.log(`ok: ${revision}: ${counted(stdout, revision)}`);
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string };
        console.error(stdout, stderr);
        throw new Error(`the conformance suite found something new in ${revision}`);
      }
    }));
  });
}
