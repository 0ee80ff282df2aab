// The official conformance suite against `ken serve --mcp`: exactly what each revision requires of a server.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { project, served } from './place.ts';

const SUITE = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

for (const revision of ['2025-11-25', '2026-07-28']) {
  await project(async (place) => {
    await served(place, undefined, async (url) => {
      const baseline = join(import.meta.dirname, `conformance-${revision}.yml`);
      const words = ['server', '--url', url.href, '--requirements', revision, '--expected-failures', baseline];
      const options = { cwd: place.repository, env: place.env, encoding: 'utf8' as const, timeout: 120_000 };
      try {
        const said = execFileSync(process.execPath, [SUITE, ...words], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
        const total = said.split('\n').find((line) => line.startsWith('Total:')) ?? '';
        console.log(`ok: ${revision}: ${total} All that failed wants what the baseline says.`);
      } catch (error) {
        const { stdout, stderr } = error as { stdout: string; stderr: string };
        console.error(stdout, stderr);
        throw new Error(`the conformance suite found something new in ${revision}`);
      }
    });
  });
}
