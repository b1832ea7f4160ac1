import { expect, test, vi } from 'vitest';
import type { Connection } from '../../src/domain/connection.ts';
import type { Customer } from '../../src/domain/customer.ts';
import {
  CONNECTION_MAX_AGE_MS,
  createConnectionCache,
  ReadRecords,
} from '../../src/request/connection-cache.ts';
import { createConnection } from '../support/connection.ts';

const TARGET = { customerId: 'acme', providerName: 'hubspot' } as const;
const GONE = { code: 'NOT_FOUND' };

function setUp() {
  let now = 0;
  const stored = { connection: createConnection('hubspot') as Connection | undefined, looks: 0 };
  const toCustomer = (): Customer => ({
    applicationId: 'a',
    customerId: 'acme',
    name: 'A',
    email: 'a@example.com',
    version: 1,
    connections: stored.connection ? [stored.connection] : [],
  });
  const state = { customer: toCustomer() as Customer | undefined };
  const loaders = {
    connection: async () => {
      stored.looks += 1;
      return stored.connection;
    },
    customer: async () => state.customer,
    invalidateCustomer: () => {},
  };
  const connections = createConnectionCache({ now: () => now });
  const open = () => new ReadRecords({ applicationId: 'a', loaders, connections, now: () => now });
  const advance = (ms: number) => {
    now += ms;
  };
  return { open, stored, state, toCustomer, advance };
}

test('records that were loaded recently are not loaded again to be rechecked', async () => {
  const { open, stored } = setUp();
  const seen = open();
  await seen.connection(TARGET);
  await seen.customer('acme', false);
  await seen.revalidateReads();
  expect(stored.looks).toBe(1);
});

test('records that were loaded long ago are loaded again, once for all requests', async () => {
  const { open, stored, advance } = setUp();
  const [one, other] = [open(), open()];
  await one.connection(TARGET);
  await other.connection(TARGET);
  advance(CONNECTION_MAX_AGE_MS);
  await Promise.all([one.revalidateReads(), other.revalidateReads()]);
  expect(stored.looks).toBe(2);
});

test('a connection that was removed, or removed and connected again, is reported as gone', async () => {
  for (const after of [undefined, createConnection('hubspot', { id: 'another' })]) {
    const { open, stored, advance } = setUp();
    const seen = open();
    await seen.connection(TARGET);
    stored.connection = after;
    advance(CONNECTION_MAX_AGE_MS);
    await expect(seen.revalidateReads()).rejects.toMatchObject(GONE);
  }
});

test('a connection whose credentials were changed asks the client to try again', async () => {
  const { open, stored, advance } = setUp();
  const seen = open();
  await seen.connection(TARGET);
  stored.connection = createConnection('hubspot', { credentialsVersion: 2 });
  advance(CONNECTION_MAX_AGE_MS);
  // Reading it again does not make what was read before valid.
  await seen.connection(TARGET);
  await expect(async () => seen.revalidateReads()).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    retryAfterMs: 1_000,
  });
});

test('several connections that changed are one rejection, and none is left unhandled', async () => {
  const { open, stored, advance } = setUp();
  const other = { ...TARGET, providerName: 'salesforce' } as const;
  const seen = open();
  stored.connection = createConnection('hubspot');
  await seen.connection(TARGET);
  stored.connection = createConnection('salesforce', { id: 'other' });
  await seen.connection(other);
  advance(CONNECTION_MAX_AGE_MS);
  // Another request reads the second one again: its change is known before the first one is loaded.
  stored.connection = createConnection('salesforce', { id: 'other', credentialsVersion: 2 });
  await open().connection(other);
  stored.connection = undefined;
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  await expect(async () => seen.revalidateReads()).rejects.toMatchObject({
    name: 'CrossbookError',
  });
  await new Promise(setImmediate);
  process.off('unhandledRejection', unhandled);
  expect(unhandled).not.toHaveBeenCalled();
});

test('a customer that was deleted, or lost a connection, is reported as gone', async () => {
  const { open, stored, state, toCustomer, advance } = setUp();
  const seen = open();
  await seen.customer('acme', false);
  advance(CONNECTION_MAX_AGE_MS);
  await seen.revalidateReads();
  stored.connection = undefined;
  state.customer = toCustomer();
  await expect(seen.revalidateReads()).rejects.toMatchObject(GONE);
  state.customer = undefined;
  await expect(seen.revalidateReads()).rejects.toMatchObject(GONE);
});

test('records that the request removed itself are not reported as gone', async () => {
  const { open, stored, state, advance } = setUp();
  const seen = open();
  await seen.connection(TARGET);
  await seen.customer('acme', false);
  stored.connection = undefined;
  state.customer = undefined;
  advance(CONNECTION_MAX_AGE_MS);
  seen.invalidateCustomer('acme');
  expect(await seen.revalidateReads()).toBeUndefined();
});
