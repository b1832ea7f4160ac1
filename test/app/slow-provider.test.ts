import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectAccount } from '../support/connect-account.ts';
import { type ListeningApp, listenApp } from '../support/listen-app.ts';
import { readMetrics } from '../support/read-metrics.ts';

/** A connection gets a third of them. */
const PLACES = 200;
let crossbook: ListeningApp;
beforeAll(async () => {
  crossbook = await listenApp({ maxRequests: PLACES });
});
afterAll(() => crossbook.close());

test('fifty lookups that wait for a slow CRM do not block other requests, and are cancelled when their clients disconnect', async () => {
  const slow = await connect('slow');
  const quick = await connect('quick');
  slow.account.fail({ kind: 'hang' }, { times: 1_000 });
  const client = new AbortController();
  const waiting: Promise<unknown>[] = [];
  for (let n = 0; n < 50; n++) {
    waiting.push(search(slow.headers, `person${n}@x.example`, client.signal).catch(String));
    // One after the other: a request that queues for a permit is rejected after a second, also on a busy machine.
    await expect.poll(countWaiting, { interval: 1 }).toBe(n + 1);
  }
  for (let n = 0; n < 20; n++)
    expect((await search(quick.headers, 'ada@x.example')).status).toBe(200);
  client.abort();
  await Promise.all(waiting);
  await expect.poll(countWaiting).toBe(0);
});

function connect(customerId: string) {
  const people = [{ email: 'ada@x.example' }];
  return connectAccount(crossbook, { provider: 'hubspot', people, customerId });
}

function search(
  headers: Record<string, string>,
  email: string,
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(`${crossbook.url}/contacts/_search`, {
    method: 'POST',
    headers: { 'x-api-key': crossbook.key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ filter: { email } }),
    signal: signal ?? null,
  });
}

function countWaiting(): Promise<number | undefined> {
  return read('crossbook_provider_waiting', '');
}

async function read(name: string, labels: string): Promise<number | undefined> {
  return readMetrics(await (await fetch(`${crossbook.url}/metrics`)).text())(name)[labels];
}
