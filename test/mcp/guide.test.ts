import { readFileSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_APPLICATION } from '../../src/domain/caller.ts';
import { createTestDatabase, type TestDatabase } from '../support/databases.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { runCli } from '../support/run-cli.ts';
import { findSample, runSample } from '../support/run-sample.ts';
import { toFetch } from '../support/to-fetch.ts';
import { askMcp, openClient, toClientFetch } from './ask-mcp.ts';

const GUIDE = readFileSync('docs/agents.md', 'utf8');
const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;

let database: TestDatabase;
let crossbook: TestApp;
beforeAll(async () => {
  database = await createTestDatabase();
  crossbook = await openApp({ database: { url: database.url }, keys: KEYS });
});
afterAll(async () => {
  await crossbook.close();
  await database.drop();
});

describe('docs/agents.md', () => {
  test('connects a client: its command issues a token, and its headers are enough', async () => {
    const [, words = ''] =
      /^export TOKEN=\$\(npm run --silent crossbook -- (tokens create .*)\)$/m.exec(GUIDE) ?? [];
    const args = words.replace('"Demo application"', DEMO_APPLICATION.id).split(' ');
    const env = { DATABASE_URL: database.url, CROSSBOOK_KEYS: KEYS };
    const { stdout } = await runCli(args, { env });
    const token = stdout.trim();

    const [, header = ''] = /--header "Authorization: (.*)"$/m.exec(GUIDE) ?? [];
    const client = await openClient(crossbook, { authorization: header.replace('TOKEN', token) });
    expect((await client.listTools()).tools).toHaveLength(7);
    await client.close();

    const [, json = ''] = /```json\n([\s\S]*?)```/.exec(GUIDE) ?? [];
    const { url, headers } = JSON.parse(json).servers.crossbook;
    expect(url).toBe('http://localhost:4000/mcp');
    const sent = headers.Authorization.replace(/\$\{input:[\w-]+\}/, token);
    expect(sent).toBe(`Bearer ${token}`);

    const [, body = ''] = /^curl -s localhost:4000\/mcp .* -d '(.*)'$/m.exec(GUIDE) ?? [];
    const found = await askMcp(crossbook, { headers: { authorization: sent }, raw: body });
    expect(found.body.result.structuredContent.results[0].contacts).toHaveLength(1);
  });

  test('has an agent that lists the tools and finds a contact, with the official client', async () => {
    class Transport extends StreamableHTTPClientTransport {
      constructor(url: URL, options: object) {
        super(url, { ...options, fetch: toClientFetch(crossbook.app) });
      }
    }
    const printed: unknown[][] = [];
    await runSample(findSample('docs/agents.md', 'js', 'my-agent'), {
      given: {
        Client,
        StreamableHTTPClientTransport: Transport,
        process: { env: { TOKEN: crossbook.app.agentToken } },
        console: { log: (...values: unknown[]) => printed.push(values) },
      },
    });
    const [[tools] = [], [outcome, text] = []] = printed;
    expect(tools).toContain('search_contacts');
    expect(outcome).toBe('found:');
    expect(JSON.parse(String(text)).results[0].contacts[0].firstName).toBe('Ada');
  });

  test('names every tool, and every argument and revision that it mentions exists', async () => {
    const client = await openClient(crossbook, {
      authorization: `Bearer ${crossbook.app.agentToken}`,
    });
    const { tools } = await client.listTools();
    const rows = [...GUIDE.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)];
    const named = rows.filter(([, , words = '']) => !words.startsWith('API key only'));
    expect(named.map(([, name]) => name)).toEqual(tools.map(({ name }) => name));
    for (const [, name, words = ''] of named) {
      const schema = JSON.stringify(tools.find((tool) => tool.name === name));
      for (const [, argument] of words.matchAll(/`(\w+)`/g)) expect(schema).toContain(argument);
    }
    await client.close();
  });
});

describe('The demo', () => {
  test('has a command for agents on its home page, with a token for the demo customer', async () => {
    const ask = toFetch(crossbook.app.answer);
    const response = await ask(new Request('http://localhost:4000/', { method: 'GET' }));
    const page = await response.text();
    expect(page).toContain('id="agents"');
    const command = page.replaceAll('&quot;', '"');
    expect(command).toContain(
      'claude mcp add --transport http crossbook http://localhost:4000/mcp',
    );
    const [, authorization = ''] = /--header "Authorization: ([^"]+)"/.exec(command) ?? [];
    const client = await openClient(crossbook, { authorization });
    const result = await client.callTool({ name: 'list_connections', arguments: {} });
    expect(JSON.stringify(result)).toContain('salesforce');
    await client.close();
  });
});
