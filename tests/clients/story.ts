// What every client of ours does with `ken`: the same calls, and what must come back.

import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';

const LESSON = 'Retry network calls with jitter, or all clients come back at once.';
const EVERYDAY = ['recall', 'show_entry', 'brief', 'remember', 'correct_entry', 'finish', 'check', 'queue'];

type Result = { isError?: boolean; content: { type: string; text?: string }[]; structuredContent?: any };

/** What both generations of the client can do. */
export type Client = {
  getInstructions(): string | undefined;
  getServerVersion(): { name: string } | undefined;
  listTools(): Promise<{ tools: any[] }>;
  callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<any>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  listResourceTemplates(): Promise<{ resourceTemplates: { uriTemplate: string }[] }>;
  readResource(params: { uri: string }): Promise<{ contents: any[] }>;
  listPrompts(): Promise<{ prompts: { name: string }[] }>;
  getPrompt(params: { name: string; arguments: Record<string, string> }): Promise<{ messages: any[] }>;
};

export async function story(client: Client, revision: string, asked: string[]): Promise<void> {
  assert.equal(client.getServerVersion()?.name, 'kenning');
  assert.match(client.getInstructions() ?? '', /`recall`/);
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name), EVERYDAY);
  const schemas = new Ajv2020({ strict: false });
  const call = async (name: string, values: Record<string, unknown>): Promise<Result> =>
    await client.callTool({ name, arguments: values });
  const valid = async (name: string, values: Record<string, unknown>): Promise<any> => {
    const result = await call(name, values);
    assert.ok(!result.isError, JSON.stringify(result));
    assert.equal(result.content[0].type, 'text');
    const tool = tools.find((tool) => tool.name === name);
    for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint']) {
      assert.equal(typeof tool.annotations[hint], 'boolean', `${name} ${hint}`);
    }
    for (const [schema, value] of [[tool.inputSchema, values], [tool.outputSchema, result.structuredContent]]) {
      assert.ok(schemas.validate(schema, value), `${name}: ${schemas.errorsText()}`);
    }
    return result.structuredContent;
  };
  const fails = async (promise: Promise<unknown>, ...codes: number[]): Promise<string> => {
    const error = await promise.then((answer) => assert.fail(JSON.stringify(answer)), (error) => error);
    assert.ok(codes.includes(error.code), `${error.code}: ${error}`);
    return error.message;
  };

  const lesson = { statement: LESSON, evidence: ['pr:1'], anchors: ['src/net.rs#retry'], verify: ['look'] };
  const { id, outcome } = await valid('remember', lesson);
  assert.equal(outcome, 'added');
  const found = await valid('recall', { query: 'retry with jitter' });
  assert.deepEqual(found.results.map((result: any) => result.id), [id]);
  assert.equal((await valid('check', { ids: [id] })).summary.fresh, 1);
  assert.equal(typeof (await valid('brief', {})).text, 'string');
  assert.ok(Array.isArray((await valid('queue', {})).items));
  // What an agent stated itself today earns nothing by its own word.
  const finished = await valid('finish', { outcome: 'success', used: [id] });
  assert.deepEqual(finished.observed, []);
  assert.match(finished.notes[0], /your own/);
  const fetched = (await call('fetch', { id })).structuredContent;
  assert.deepEqual([fetched.id, fetched.title, fetched.url], [id, LESSON, `ken://entry/${id}`]);

  const wrong = await call('recall', { query: 'retry', limt: 3 });
  assert.ok(wrong.isError);
  assert.equal(wrong.structuredContent.error.code, 'invalid');
  assert.match(wrong.content[0].text ?? '', /did you mean `limit`\?/);
  assert.match(await fails(call('recal', {}), -32602), /did you mean `recall`\?/);

  const { resources } = await client.listResources();
  assert.deepEqual(resources.map(({ uri }) => uri), ['ken://briefing', 'ken://index', 'ken://health']);
  const { resourceTemplates } = await client.listResourceTemplates();
  const patterns = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
  assert.deepEqual(patterns, ['ken://entry/{id}', 'ken://as-of/{commit}/{id}']);
  for (const { uri } of resources) await client.readResource({ uri });
  assert.ok((await client.readResource({ uri: `ken://entry/${id}` })).contents[0].text.includes(LESSON));
  // Older revisions have a code of their own for it, which newer clients read as the other one.
  const unknown = revision >= '2026' ? [-32602] : [-32002, -32602];
  await fails(client.readResource({ uri: 'ken://nothing' }), ...unknown);
  const { prompts } = await client.listPrompts();
  assert.deepEqual(prompts.map(({ name }) => name), ['recall-first', 'review-session', 'judge-queue']);
  const prompt = await client.getPrompt({ name: 'recall-first', arguments: { task: 'mend the retries' } });
  assert.match(prompt.messages[0].content.text, /mend the retries/);

  // What is a person's to do: asked through the client, and done in the person's name.
  const kept = (await call('list', { status: ['rejected'] })).structuredContent.items[0].id;
  const released = await call('release', { id: kept, reason: 'an example for our tests' });
  assert.ok(!released.isError, JSON.stringify(released));
  assert.equal(asked.length, 1);
  const shown = (await call('show', { ids: [kept] })).structuredContent;
  assert.equal(shown.released.by, 'human:Ada');
}

/** The answer of a person who agrees. */
export const agreed = { action: 'accept' as const, content: { approve: true } };
