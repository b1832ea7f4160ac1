import { expect, test } from 'vitest';
import { RECORDS } from '../../src/domain/records/catalogue.ts';
import { COMPANY } from '../../src/domain/records/company.ts';
import { CONTACT } from '../../src/domain/records/contact.ts';
import type { CrmRecord, RecordKind } from '../../src/domain/records/record.ts';
import type { Tenant } from '../../src/domain/tenant.ts';
import { Loaders, type LookupClient } from '../../src/request/loaders.ts';

const WHOLE = { rawData: false };

test('a contact and a company with the same id are loaded by calls of their own', async () => {
  const calls: string[] = [];
  const client: LookupClient = {
    connection: { id: 'one' },
    access: { lookupBatch: 100 },
    port: {
      of: ({ type }: RecordKind<CrmRecord>) => ({
        async findByIds(ids: readonly string[]) {
          calls.push(`${type} ${ids.join()}`);
          return new Map(ids.map((id) => [id, { remoteId: id, type }]));
        },
      }),
    } as never,
  };
  const loaders = new Loaders({} as Tenant);
  const read = async <Item extends CrmRecord>(kind: RecordKind<Item>, id: string) =>
    (await loaders.records(client, kind, [id], WHOLE)).get(id);
  const found = await Promise.all([
    read(CONTACT, '1'),
    read(COMPANY, '1'),
    read(COMPANY, '2'),
    read(CONTACT, '1'),
  ]);
  expect(calls.sort()).toEqual(['COMPANY 1,2', 'CONTACT 1']);
  expect(found).toMatchObject([
    { type: 'CONTACT' },
    { type: 'COMPANY' },
    { type: 'COMPANY', remoteId: '2' },
    { type: 'CONTACT' },
  ]);
});

test('the keys of all types of records differ', () => {
  const kinds = Object.values(RECORDS);
  expect(new Set(kinds.map(({ key }) => key)).size).toBe(kinds.length);
  expect(new Set(kinds.map(({ type }) => type)).size).toBe(kinds.length);
});
