import { expect, test } from 'vitest';
import { createProviderClients } from '../../src/outbound/outbound.ts';
import type { ProviderClient } from '../../src/outbound/provider-client.ts';
import { createFakeClock } from '../support/clock.ts';
import { createConnection } from '../support/connection.ts';
import { createFakeAccess } from './fake-access.ts';

test('a connection has one provider client while it is used', async () => {
  const { use, clock } = open();
  const client = use('a');
  for (let minute = 0; minute < 20; minute++) {
    await clock.advance(60_000);
    expect(use('a')).toBe(client);
  }
});

test('unused clients are removed after some minutes', async () => {
  const { use, clients, clock } = open();
  for (const id of ['a', 'b', 'c']) use(id);
  await clock.advance(6 * 60_000);
  use('d');
  await clock.advance(60_000);
  use('d');
  expect(clients.counts().length).toBe(1);
});

test('a client with state is kept', async () => {
  const { use, clients, clock, busy } = open();
  const client = use('a');
  busy.add('a');
  await clock.advance(60 * 60_000);
  use('b');
  expect(clients.find('a')).toBe(client);
});

test('the maximum of clients is hardly exceeded while others are idle', async () => {
  const { use, clients, clock } = open(10);
  for (let index = 0; index < 1_000; index++) {
    use(`connection-${index}`);
    await clock.advance(1);
  }
  expect(clients.counts().length).toBeLessThanOrEqual(11);
});

test('clients in use are kept, whatever their number', async () => {
  const { use, clients, clock, busy } = open(10);
  for (let index = 0; index < 50; index++) {
    busy.add(`connection-${index}`);
    use(`connection-${index}`);
    await clock.advance(1_000);
  }
  expect(clients.counts().length).toBe(50);
});

function open(maxKept = 100) {
  const clock = createFakeClock();
  const busy = new Set<string>();
  const clients = createProviderClients({
    clock,
    maxKept,
    create: ({ connection: { id } }) =>
      ({ isIdle: () => !busy.has(id), counts: () => ({}) }) as ProviderClient,
  });
  const use = (id: string) =>
    clients.of({ connection: createConnection('hubspot', { id }), access: createFakeAccess() });
  return { clock, clients, use, busy };
}
