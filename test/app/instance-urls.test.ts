import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ConnectWorld, openConnectWorld } from '../support/connect-world.ts';

let world: ConnectWorld;
beforeAll(async () => {
  world = await openConnectWorld();
});
afterAll(() => world.close());

const connectTo = (instance_url: string) => ({
  customer_id: 'acme',
  name: 'Acme',
  email: 'it@acme.example',
  connections: [{ provider_name: 'salesforce', instance_url }],
});

test.each([
  'na139.salesforce.com',
  'acme--dev.cs12.my.salesforce.com',
  'acme.cloudforce.com',
  'login.salesforce.com',
  'acme.lightning.force.com',
])('a connection to %s is refused, with the kind of URL to enter', async (host) => {
  const { status, body } = await world.crossbook.rest(
    'PUT',
    '/customers',
    connectTo(`https://${host}`),
  );
  expect([status, body.errors[0].detail]).toEqual([
    422,
    `connections[0]: the instance URL is not an address of Salesforce: its host ${host} is not a supported host of the provider; enter the My Domain URL of the organisation, such as https://acme.my.salesforce.com.`,
  ]);
});

test('a customer whose stored connection has such a URL is read, changed and connected anew', async () => {
  const { rest } = world.crossbook;
  await rest('PUT', '/customers', connectTo('https://acme.my.salesforce.com'));
  const stored = 'https://na139.salesforce.com';
  await world.rows(`update crossbook.connections set instance_url = '${stored}'
    where provider_name = 'salesforce' and instance_url = 'https://acme.my.salesforce.com'`);
  const read = async () =>
    (await rest('GET', '/customers/acme')).body.connections[0].instance_url as string;
  expect(await read()).toBe(stored);
  const renamed = { customer_id: 'acme', name: 'Acme Inc.', email: 'it@acme.example' };
  expect((await rest('PUT', '/customers', renamed)).status).toBe(200);
  const kept = { ...renamed, connections: [{ provider_name: 'salesforce' }] };
  expect((await rest('PUT', '/customers', kept)).status).toBe(200);
  expect(await read()).toBe(stored);
  const current = 'https://acme.my.salesforce.com';
  expect((await rest('PUT', '/customers', connectTo(current))).status).toBe(200);
  expect(await read()).toBe(current);
});
