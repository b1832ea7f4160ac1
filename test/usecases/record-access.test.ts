import { describe, expect, test } from 'vitest';
import type { ProviderName } from '../../src/domain/provider-names.ts';
import { ACCESS_LEVELS, toAllowedRecords } from '../../src/domain/record-access.ts';
import { RECORD_TYPES, type RecordType } from '../../src/domain/records/record-type.ts';
import { createRegistry } from '../../src/providers/registry.ts';
import {
  findMissingScopes,
  readGrantedAccess,
  requireAccess,
} from '../../src/usecases/record-access.ts';
import { createConnection } from '../support/connection.ts';

const CONTACTS = 'crm.objects.contacts.read';
const PROVIDERS = createRegistry();

test.each<[string, ProviderName, string[], string[]]>([
  ['what is needed and was not granted', 'hubspot', ['oauth', 'other'], [CONTACTS]],
  ['nothing where all was granted', 'hubspot', [CONTACTS, 'oauth'], []],
  [
    'nothing where all was granted under another name',
    'salesforce',
    ['full', 'offline_access'],
    [],
  ],
  ['nothing where no link has granted anything', 'hubspot', [], []],
  ['nothing of a provider that no link connects', 'gong', ['other'], []],
])('the missing scopes name %s', (_title, providerName, grantedScopes, missing) => {
  const connection = createConnection(providerName, { grantedScopes });
  expect(findMissingScopes(PROVIDERS, connection)).toEqual(missing);
});

const SEARCHABLE = [...PROVIDERS.values()].filter(({ crm }) => crm !== undefined);

describe.each(SEARCHABLE)('Access to records of $name', (provider) => {
  const { name, authorization, crm } = provider;
  const types = RECORD_TYPES.filter((type) => crm?.records[type] !== undefined);
  const scopesOf = (type: RecordType) => {
    const scopes = authorization?.recordScopes[type];
    if (!scopes) throw new Error(`${name} declares no scopes of ${type}.`);
    return scopes;
  };
  const impliedBy = (scope: string) => authorization?.impliedScopes[scope] ?? [];
  const everyScope = types.flatMap((type) => [...scopesOf(type).read, ...scopesOf(type).write]);

  test('can be asked for by a link, for every type that can be read', () => {
    expect(Object.keys(authorization?.recordScopes ?? {})).toEqual(
      expect.arrayContaining([...types]),
    );
  });

  test('is what was allowed, as far as the scopes suffice', () => {
    const scopeSets = [[], everyScope, ...everyScope.map((one) => without(everyScope, one))];
    for (const records of listSubsets(types)) {
      for (const access of ACCESS_LEVELS) {
        const allowed = toAllowedRecords({ records, access });
        for (const grantedScopes of scopeSets.map((scopes) => withBase(scopes))) {
          const connection = createConnection(name, { ...allowed, grantedScopes });
          const all = grantedScopes.flatMap((scope) => [scope, ...impliedBy(scope)]);
          const has = (scopes: readonly string[]) =>
            grantedScopes.length === 0 || scopes.every((scope) => all.includes(scope));
          const granted = readGrantedAccess(provider, connection);
          expect(granted.map(({ record }) => record)).toEqual(types);
          for (const { record, canRead, canWrite, missingScopes } of granted) {
            const { read, write } = scopesOf(record);
            const mayRead = records.includes(record) && has(read);
            const mayWrite = mayRead && access === 'READ_WRITE' && has(write);
            expect([canRead, canWrite]).toEqual([mayRead, mayWrite]);
            const isAllowed = records.includes(record);
            expect(missingScopes.length > 0).toBe(
              isAllowed && !(access === 'READ_WRITE' ? mayWrite : mayRead),
            );
            for (const [operation, may] of [
              ['read', mayRead],
              ['write', mayWrite],
            ] as const) {
              const kind = { type: record, nouns: 'things' };
              const open = () => requireAccess({ provider, connection }, kind, operation);
              if (may) expect(open).not.toThrow();
              else expect(open).toThrow(expect.objectContaining({ code: 'FORBIDDEN' }));
            }
          }
        }
      }
    }
  });

  test('that is refused says what is missing, and which link grants it', () => {
    const account = { id: '1', name: null, url: null, userId: null };
    const [type = 'CONTACT'] = types;
    const kind = { type, nouns: 'people' };
    const open = (patch: object, operation: 'read' | 'write') => () =>
      requireAccess({ provider, connection: createConnection(name, patch) }, kind, operation);
    const nothing = { readableRecords: [], writableRecords: [] };
    expect(open({ ...nothing, account }, 'read')).toThrow(
      `may not read people: create a connect link with records: [${type}]`,
    );
    expect(open({ ...nothing }, 'read')).toThrow(
      `set records: [${type}] with upsertCustomer, or create a connect link with it.`,
    );
    expect(open({ readableRecords: [type], writableRecords: [], account }, 'write')).toThrow(
      `may not write people: create a connect link with records: [${type}], access: READ_WRITE`,
    );
    const { read } = scopesOf(type);
    expect(open({ readableRecords: [type], grantedScopes: ['other'], account }, 'read')).toThrow(
      `needs: ${read.join(', ')}. Create a connect link`,
    );
  });
});

test('a provider whose records cannot be read has no access to them', () => {
  expect(readGrantedAccess(PROVIDERS.get('gong'), createConnection('gong'))).toEqual([]);
});

function listSubsets<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: 2 ** items.length }, (_, bits) =>
    items.filter((_item, index) => bits & (1 << index)),
  );
}

function without(scopes: readonly string[], left: string): string[] {
  return scopes.filter((scope) => scope !== left);
}

/** Empty only where the scopes are unknown. */
function withBase(scopes: readonly string[]): readonly string[] {
  return scopes.length === 0 ? [] : [...scopes, 'base'];
}
