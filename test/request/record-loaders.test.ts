import { expect, test } from 'vitest';
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
  const found = await Promise.all([
    loaders.record(client, CONTACT, '1', WHOLE),
    loaders.record(client, COMPANY, '1', WHOLE),
    loaders.record(client, COMPANY, '2', WHOLE),
    loaders.record(client, CONTACT, '1', WHOLE),
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
  expect(new Set([CONTACT, COMPANY].map(({ key }) => key)).size).toBe(2);
  expect(new Set([CONTACT, COMPANY].map(({ type }) => type)).size).toBe(2);
});
