import { expect, test } from 'vitest';
import type { RecordPort } from '../../src/domain/provider.ts';
import { CONTACT, type Contact } from '../../src/domain/records/contact.ts';
import type { FieldSelection } from '../../src/domain/records/record-search.ts';
import type { Tenant } from '../../src/domain/tenant.ts';
import { Loaders, type LookupClient } from '../../src/request/loaders.ts';

const NAMES: FieldSelection = { rawData: false, fields: new Set(['firstName']) };
const OWNERS: FieldSelection = { rawData: false, fields: new Set(['ownerId']) };

test('simultaneous look-ups share one call, with each email once', async () => {
  const { lookups, client, calls } = open();
  const found = await Promise.all([
    lookups.lookup(client, CONTACT, ['a@x', 'b@x'], NAMES),
    lookups.lookup(client, CONTACT, ['b@x', 'c@x'], NAMES),
  ]);
  expect(calls).toEqual([['a@x', 'b@x', 'c@x']]);
  expect(found.map((contacts) => contacts.map(({ remoteId }) => remoteId))).toEqual([
    ['a@x', 'b@x'],
    ['b@x', 'c@x'],
  ]);
});

test('each look-up gets a list of its own', async () => {
  const { lookups, client } = open();
  const [first, second] = await Promise.all([
    lookups.lookup(client, CONTACT, ['a@x'], NAMES),
    lookups.lookup(client, CONTACT, ['a@x'], NAMES),
  ]);
  first?.splice(0);
  expect(second).toHaveLength(1);
});

test('simultaneous look-ups share a failure, and a later one tries again', async () => {
  const { lookups, client, calls } = open({ failure: new Error('away') });
  const lookUp = () =>
    lookups.lookup(client, CONTACT, ['a@x'], NAMES).catch((error: unknown) => error);
  const [first, second] = await Promise.all([lookUp(), lookUp()]);
  expect(first).toBe(second);
  expect(calls).toHaveLength(1);
  await lookUp();
  expect(calls).toHaveLength(2);
});

test('look-ups with other fields are separate, and share a call', async () => {
  const { lookups, client, calls, wants } = open();
  await Promise.all([
    lookups.lookup(client, CONTACT, ['a@x'], NAMES),
    lookups.lookup(client, CONTACT, ['a@x'], OWNERS),
  ]);
  expect(calls).toEqual([['a@x']]);
  expect([...(wants[0]?.fields ?? [])].sort()).toEqual(['firstName', 'ownerId']);
  await lookups.lookup(client, CONTACT, ['a@x'], { rawData: true });
  expect(calls).toHaveLength(2);
});

test('look-ups of different connections are separate calls', async () => {
  const { lookups, client, calls } = open();
  const other = { ...client, connection: { id: 'other' } };
  await Promise.all([
    lookups.lookup(client, CONTACT, ['a@x'], NAMES),
    lookups.lookup(other, CONTACT, ['a@x'], NAMES),
  ]);
  expect(calls).toHaveLength(2);
});

test('of more emails than one call takes, those of full calls are looked up together, and the others share a call', async () => {
  const { lookups, client, calls } = open();
  const many = ['1', '2', '3', '4', '5', '6', '7'];
  const [found] = await Promise.all([
    lookups.lookup(client, CONTACT, many, NAMES),
    lookups.lookup(client, CONTACT, ['8'], NAMES),
  ]);
  expect(calls).toEqual([
    ['1', '2', '3', '4', '5', '6'],
    ['7', '8'],
  ]);
  expect(found?.map(({ remoteId }) => remoteId)).toEqual(many);
});

test('look-ups beyond one call’s maximum take several calls, which fail independently', async () => {
  const { lookups, client, calls } = open({ failure: new Error('away'), failing: '4' });
  const found = await Promise.allSettled(
    ['1', '2', '3', '4'].map((email) => lookups.lookup(client, CONTACT, [email], NAMES)),
  );
  expect(calls).toEqual([['1', '2', '3'], ['4']]);
  expect(found.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
  ]);
});

/** A CRM of whose calls each carries three emails. */
function open({ failure, failing }: { failure?: Error; failing?: string } = {}) {
  const calls: (readonly string[])[] = [];
  const wants: FieldSelection[] = [];
  const contacts: Pick<RecordPort<Contact>, 'findByKey'> = {
    async findByKey(emails, selection) {
      calls.push(emails);
      wants.push(selection);
      if (failure && (failing === undefined || emails.includes(failing))) throw failure;
      return new Map(emails.map((email) => [email, [{ remoteId: email } as Contact]]));
    },
  };
  const client: LookupClient = {
    connection: { id: 'one' },
    access: { lookupBatch: 3 },
    port: { of: () => contacts } as never,
  };
  return { lookups: new Loaders({} as Tenant), client, calls, wants };
}
