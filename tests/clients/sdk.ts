// The first generation of the official TypeScript client (`@modelcontextprotocol/sdk`), over pipes and HTTP.

import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { KEN, project, served } from './place.ts';
import { agreed, story } from './story.ts';

async function drive(name: string, transport: any): Promise<void> {
  const client = new Client({ name: 'typescript-sdk', version: '1' }, { capabilities: { elicitation: {} } });
  const asked: string[] = [];
  client.setRequestHandler(ElicitRequestSchema, async (request) => {
    asked.push(request.params.message);
    return agreed;
  });
  await client.connect(transport);
  await story(client as any, '2025', asked);
  await client.close();
  console.log(`ok: ${name}`);
}

await project(async ({ repository, env }) => {
  await drive('pipes', new StdioClientTransport({ command: KEN, args: ['mcp'], env, cwd: repository }));
});
await project(async (place) => {
  await served(place, async (url) => {
    const requestInit = { headers: { Authorization: `Bearer ${place.token}` } };
    await drive('HTTP with a token', new StreamableHTTPClientTransport(url, { requestInit }));
    const stranger = new Client({ name: 'stranger', version: '1' });
    await assert.rejects(stranger.connect(new StreamableHTTPClientTransport(url)), /401|token|[Uu]nauthorized/);
    console.log('ok: HTTP without the token: refused');
  });
});
