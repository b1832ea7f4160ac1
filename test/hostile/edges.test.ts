import '../support/process-sources.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CREDENTIALS, HOSTS, ORIGINS } from './corpus/edges.ts';
import { openPrepared, type Prepared } from './target/prepare.ts';
import { send, toGraphQL } from './target/send.ts';

let prepared: Prepared;

beforeAll(async () => {
  prepared = await openPrepared();
});
afterAll(async () => {
  expect(await prepared.target.close()).toBe(0);
});

describe('An invalid credential', () => {
  test.each(Object.entries(CREDENTIALS))(
    '(%s) is rejected by GraphQL and REST',
    async (_title, write) => {
      const { url, callers } = prepared.target;
      const headers = { 'x-customer-id': 'demo', ...write(callers) };
      const graphql = await send(url, toGraphQL({ query: CUSTOMER }, headers));
      const rest = await send(url, { method: 'GET', path: '/customers/demo', headers });
      for (const received of [graphql, rest]) {
        expect(received.status).toBe(401);
        expect(prepared.judge.checkAlways(received)).toEqual([]);
      }
    },
  );
});

describe('A demo requested by a host name', () => {
  test.each(Object.entries(HOSTS))('%s: allowed is %s', async (host, isAnswered) => {
    const { url, callers } = prepared.target;
    const key = callers.key['x-api-key'] ?? '';
    const pages = [{ path: '/' }, { path: '/graphql', accept: 'text/html' }, { path: '/docs' }];
    for (const { path, accept = '*/*' } of pages) {
      const headers = { host, accept, 'accept-encoding': 'gzip' };
      const { status, text } = await send(url, { method: 'GET', path, headers });
      expect(status < 300, path).toBe(isAnswered);
      if (!isAnswered) expect(text).not.toContain(key);
    }
    const request = toGraphQL({ query: CUSTOMER }, { ...callers.key, host });
    expect((await send(url, request)).status < 300).toBe(isAnswered);
  });
});

describe('CORS', () => {
  test.each(ORIGINS)(
    'for a $caller from $origin allows reading: $mayRead',
    async ({ caller, origin, mayRead }) => {
      const { url, callers } = prepared.target;
      const { headers } = await send(
        url,
        toGraphQL({ query: CUSTOMER }, { ...callers[caller], origin }),
      );
      expect(headers['access-control-allow-origin']).toBe(mayRead ? origin : undefined);
    },
  );
});

const CUSTOMER = '{customer{name}}';
