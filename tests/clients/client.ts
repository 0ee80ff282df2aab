// The second generation of the official TypeScript client (`@modelcontextprotocol/client`), with a handshake and without.

import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { KEN, project, served } from './place.ts';
import { agreed, story } from './story.ts';

const ERAS = [
  { name: 'auto', mode: 'auto' as const, revision: '2026-07-28' },
  { name: 'pinned', mode: { pin: '2026-07-28' }, revision: '2026-07-28' },
  { name: 'legacy', mode: 'legacy' as const, revision: '2025-11-25' },
];

async function drive(name: string, transport: any, era: (typeof ERAS)[number]): Promise<void> {
  const client = new Client(
    { name: 'typescript-client', version: '2' },
    { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: era.mode } },
  );
  const asked: string[] = [];
  client.setRequestHandler('elicitation/create', async (request: any) => {
    asked.push(request.params.message);
    return agreed;
  });
  await client.connect(transport);
  assert.equal(client.getNegotiatedProtocolVersion(), era.revision);
  await story(client as any, era.revision, asked);
  await client.close();
  console.log(`ok: ${name}, ${era.name}: ${era.revision}`);
}

for (const era of ERAS) {
  await project(async ({ repository, env }) => {
    await drive('pipes', new StdioClientTransport({ command: KEN, args: ['mcp'], env, cwd: repository }), era);
  });
  await project(async (place) => {
    await served(place, async (url) => {
      const requestInit = { headers: { Authorization: `Bearer ${place.token}` } };
      await drive('HTTP with a token', new StreamableHTTPClientTransport(url, { requestInit }), era);
      const stranger = new Client({ name: 'stranger', version: '2' }, { versionNegotiation: { mode: era.mode } });
      const entering = stranger
        .connect(new StreamableHTTPClientTransport(url))
        .then(async () => await stranger.listTools());
      await assert.rejects(entering);
      console.log(`ok: HTTP without the token, ${era.name}: refused`);
    });
  });
}
