import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import {
  CrossbookError,
  ERROR_CODES,
  type ErrorCode,
  type ErrorFacts,
  toCrossbookError,
} from '../../src/domain/errors.ts';
import { listen as listenTo } from '../../src/http/listen.ts';
import { createStartupHandler } from '../../src/http/startup.ts';
import { openLimits } from '../../src/limits/limits.ts';
import { rateLimited } from '../../src/outbound/failures.ts';
import { createFakeClock } from '../support/clock.ts';
import { createFakeLog } from '../support/fake-log.ts';
import { type Listener, listen } from '../support/listen.ts';
import { openApp, type TestApp } from '../support/open-app.ts';
import { toCaller } from '../support/open-handler.ts';

const LOOPBACK = { host: '127.0.0.1', port: 0, bounds: readConfig({}).bounds };
let app: TestApp;
let listener: Listener;
beforeAll(async () => {
  app = await openApp();
  listener = await listen({ ...app.app, ...LOOPBACK });
});
afterAll(async () => {
  await listener.close(1_000);
  await app.close();
});

const SEARCH = '/contacts/_search';
const FILTER = { filter: { email: 'ada@example.com' } };

/** What brings about each error that has an example. */
const CAUSES: Partial<Record<ErrorCode, () => Promise<string>>> = {
  BAD_REQUEST: () =>
    refused('POST', `${SEARCH}?page_size=1001`, { filter: { ...FILTER.filter, emial: '' } }),
  UNAUTHORIZED: () => refused('POST', SEARCH, FILTER, { 'x-api-key': 'nonsense' }),
  async FORBIDDEN() {
    const { body } = await app.rest('POST', '/customers/demo/tokens', {});
    const headers = { authorization: `Bearer ${body.token}` };
    return refused('GET', '/customers/other', undefined, headers);
  },
  NOT_FOUND: () => refused('POST', SEARCH, FILTER, { 'x-customer-id': 'customer-1' }),
  async CONFLICT() {
    const customer = { customer_id: 'changed', name: 'Changed', email: 'c@example.com' };
    for (const name of ['1', '2', '3', '4'])
      await app.rest('PUT', '/customers', { ...customer, name });
    return refused('PUT', '/customers', customer, { 'if-match': '"3"' });
  },
  PAYLOAD_TOO_LARGE: () => refused('PUT', '/customers', { name: 'x'.repeat(1024 * 1024) }),
  UNSUPPORTED_MEDIA_TYPE: () => refused('PUT', '/customers', {}, { 'content-type': 'text/plain' }),
  UNPROCESSABLE_ENTITY: () =>
    refused('PUT', '/customers', { customer_id: 'new', name: 'New', email: 'new' }),
  async TOO_MANY_REQUESTS() {
    const limits = await openLimits({
      perApplication: 6_000,
      perCustomer: 0,
      failedAuthentications: 0,
      redis: undefined,
      log: createFakeLog(),
      clock: createFakeClock(),
      hash: (text) => text,
    });
    return messageOf(
      (async () => limits.charge({ rateLimit: undefined }, toCaller('demo'), 6_001_000))(),
    );
  },
  REMOTE_PROVIDER_RATE_LIMITED: async () => rateLimited(10_000).message,
  INTERNAL_SERVER_ERROR: async () => toCrossbookError(new Error('a bug')).message,
  NOT_IMPLEMENTED: () => refused('POST', SEARCH, FILTER, { 'x-provider-name': 'zendesk_sell' }),
  async SERVICE_UNAVAILABLE() {
    const { handler, onRefused } = createStartupHandler();
    const starting = await listenTo({ ...LOOPBACK, handler, onRefused });
    const detail = await detailOf(await fetch(`${starting.url}${SEARCH}`));
    await starting.close(0);
    return detail;
  },
};

const EXAMPLES = (Object.entries(ERROR_CODES) as [ErrorCode, ErrorFacts][]).flatMap(
  ([code, { example }]) => (example === undefined ? [] : [{ code, example }]),
);

test.each(EXAMPLES)('the documented example of $code is a detail of this error', async (one) => {
  expect(await CAUSES[one.code]?.()).toBe(one.example);
});

/** The detail with which a request is refused. */
async function refused(
  method: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const response = await fetch(`${listener.url}${path}`, {
    method,
    headers: {
      ...(!headers['authorization'] && { 'x-api-key': app.key }),
      'x-customer-id': 'demo',
      'x-provider-name': 'hubspot',
      'content-type': 'application/json',
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return detailOf(response);
}

async function detailOf(response: Response): Promise<string> {
  const { errors } = (await response.json()) as { errors: readonly { detail: string }[] };
  return errors.map(({ detail }) => detail).join();
}

async function messageOf(work: Promise<unknown>): Promise<string> {
  const error = await work.catch((thrown: unknown) => thrown);
  return error instanceof CrossbookError ? error.message : 'no error';
}
