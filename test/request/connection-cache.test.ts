import { expect, test, vi } from 'vitest';
import {
  CONNECTION_MAX_AGE_MS,
  createConnectionCache,
} from '../../src/request/connection-cache.ts';
import { createConnection } from '../support/connection.ts';

const target = { customerId: 'ada', providerName: 'hubspot' } as const;

function open() {
  let now = 0;
  const connections = createConnectionCache({ now: () => now });
  const load = vi.fn(async () => createConnection('hubspot'));
  const advance = (byMs: number) => {
    now += byMs;
  };
  return { connections, load, advance };
}

test('a connection is loaded once in some seconds', async () => {
  const { connections, load, advance } = open();
  await Promise.all([1, 2].map(() => connections.find('app', target, load)));
  await connections.find('app', target, load);
  expect(load).toHaveBeenCalledTimes(1);
  advance(CONNECTION_MAX_AGE_MS);
  await connections.find('app', target, load);
  expect(load).toHaveBeenCalledTimes(2);
});

test('another application, customer or provider has another connection', async () => {
  const { connections, load } = open();
  await connections.find('app', target, load);
  await connections.find('other', target, load);
  await connections.find('app', { ...target, customerId: 'bob' }, load);
  await connections.find('app', { ...target, providerName: 'salesforce' }, load);
  expect(load).toHaveBeenCalledTimes(4);
});

test('a changed connection is loaded again, even while a load is running', async () => {
  const { connections, load } = open();
  await connections.find('app', target, load);
  connections.forget('app', target);
  const underWay = connections.find('app', target, load);
  connections.forget('app', target);
  await underWay;
  await connections.find('app', target, load);
  expect(load).toHaveBeenCalledTimes(3);
});
