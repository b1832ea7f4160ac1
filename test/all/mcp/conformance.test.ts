import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEMO_APPLICATION } from '../../../src/domain/caller.ts';
import { createTestDatabase, type TestDatabase } from '../../support/databases.ts';
import { type ListeningApp, listenApp } from '../../support/listen-app.ts';
import { MCP_CONFORMANCE } from '../../support/machine.ts';
import { runCli } from '../../support/run-cli.ts';

/**
 * The other scenarios call tools, resources and prompts that only the suite's own server has, or are about what this
 * server does not offer: completion, logging, sampling, elicitation, and sessions (server-sse-…).
 */
const SCENARIOS = ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection'];
const KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`;

describe.runIf(MCP_CONFORMANCE)('The conformance suite of the protocol', () => {
  let database: TestDatabase;
  let crossbook: ListeningApp;
  let proxy: Server;
  let url: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    crossbook = await listenApp({ database: { url: database.url }, keys: KEYS });
    proxy = await openTokenProxy(crossbook.url, crossbook.app.agentToken ?? '');
    url = `http://localhost:${(proxy.address() as AddressInfo).port}`;
    // The suite sends the server's own origin, and expects that it may call.
    const args = ['apps', 'origins', DEMO_APPLICATION.id, '--add', url];
    await runCli(args, { env: { DATABASE_URL: database.url, CROSSBOOK_KEYS: KEYS } });
  });
  afterAll(async () => {
    proxy.close();
    await crossbook.close();
    await database.drop();
  });

  test.each(SCENARIOS)('passes %s', async (scenario) => {
    const { node = '', program = '' } = MCP_CONFORMANCE ?? {};
    const args = [program, 'server', '--url', `${url}/mcp`];
    // It exits with 1 where a check fails.
    const { stdout } = await promisify(execFile)(node, [...args, '--scenario', scenario]);
    expect(stdout).toMatch(/Passed: [1-9]\d*\/\d+, 0 failed/);
  });
});

/** The suite cannot send a token: this proxy adds it, and passes on all else. */
async function openTokenProxy(target: string, token: string): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${token}` };
    const { method, url = '/' } = incoming;
    const sent = request(new URL(url, target), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(sent);
  });
  server.listen(0);
  await once(server, 'listening');
  return server;
}
