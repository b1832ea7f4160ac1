import { describe, expect, test } from 'vitest';
import type { Connection } from '../../../src/domain/connection.ts';
import {
  CONNECTION,
  composite,
  json,
  openScripted,
  refusal,
  rows,
  type Scripted,
} from './scripted-send.ts';

const mapping = (mappedField: string, schemaField = `our_${mappedField}`) => ({
  schemaField,
  mappedField,
});
const MAPPED: Connection = {
  ...CONNECTION,
  schemaMappingsConfig: {
    commonObjects: [{ object: 'contact', fieldMappings: [mapping('Favorite_Color__c')] }],
    standardObjects: [
      { object: 'Contact', fieldMappings: [mapping('favorite_color__C'), mapping('Account.Name')] },
      { object: 'Account', fieldMappings: [mapping('Industry')] },
    ],
  },
  entityMappings: [
    {
      entityId: 'e1',
      object: { type: 'standard', name: 'Contact' },
      fieldMappings: [mapping('Title'), mapping("Id FROM Contact WHERE Id != '"), mapping('email')],
    },
    {
      entityId: 'e2',
      object: { type: 'custom', name: 'Contact' },
      fieldMappings: [mapping('Size__c')],
    },
    { entityId: 'e3', object: null, fieldMappings: [mapping('Nobody__c')] },
  ],
};

function find(connection: Connection, rawData: boolean, ...answers: readonly Scripted[]) {
  const { port, ...script } = openScripted(answers, connection);
  return { ...script, found: port.findByKey(['ada@example.com'], { rawData }) };
}

function fieldsOf(query = ''): readonly string[] {
  return /^SELECT (\S+) FROM/.exec(query)?.[1]?.split(',') ?? [];
}

describe('mapped fields', () => {
  test('are fetched once each, with raw data', async () => {
    const { found, queries } = find(
      MAPPED,
      true,
      rows([{ Id: '1', Email: 'ada@example.com', Title: 'Countess' }]),
    );
    expect((await found).get('ada@example.com')?.[0]?.rawData).toMatchObject({ Title: 'Countess' });
    const common = fieldsOf(queries()[0]).slice(0, -3);
    expect(fieldsOf(queries()[0]).slice(-3)).toEqual([
      'Favorite_Color__c',
      'Account.Name',
      'Title',
    ]);
    expect(common.filter((name) => name.toLowerCase() === 'email')).toEqual(['Email']);
  });

  test('are not fetched without it', async () => {
    const { found, queries } = find(MAPPED, false, rows([]));
    await found;
    expect(fieldsOf(queries()[0])).not.toContain('Title');
  });

  test.each([
    ["No such column 'Favorite_Color__c' on entity 'Contact'.", 'Favorite_Color__c'],
    ["No such column 'Favorite_Color__c' on sobject of type Contact", 'Favorite_Color__c'],
    ["No such column 'Name' on entity 'Account'.", 'Account.Name'],
    ["Didn't understand relationship 'Account' in field path.", 'Account.Name'],
  ])('are left out when Salesforce does not have them: %s', async (message, field) => {
    const denied = refusal(403, 'INSUFFICIENT_ACCESS');
    const { found, queries } = find(
      MAPPED,
      true,
      refusal(400, 'INVALID_FIELD', `\nSELECT Id\n ^\nERROR\n${message}`),
      composite(denied, denied),
      rows([{ Id: '1', Email: 'ada@example.com' }]),
    );
    expect((await found).get('ada@example.com')).toHaveLength(1);
    const all = fieldsOf(queries()[0]);
    expect(fieldsOf(queries().at(-1))).toEqual(all.filter((name) => name !== field));
  });
});

describe('common fields', () => {
  const hidden = (name: string) =>
    refusal(400, 'INVALID_FIELD', `No such column '${name}' on entity 'Contact'.`);
  const ADA = { Id: '1', Email: 'ada@example.com', FirstName: 'Ada' };
  const described = (...fields: readonly string[]) =>
    json({ fields: fields.map((name) => ({ name })) });
  const ALL = [
    'Id',
    'Email',
    'FirstName',
    'Phone',
    'CreatedDate',
    'LastModifiedDate',
    'SystemModstamp',
  ];
  const SEEN = [...ALL, 'IsDeleted'];
  /** A row of `FIELDS(STANDARD)`: all fields that are visible to the user. */
  const rowOf = (fields: readonly string[]) => ({
    ...Object.fromEntries(fields.map((name) => [name, null])),
    ...ADA,
    Birthdate: null,
    attributes: {},
  });

  test('are detected and left out with one more call when they are hidden from the connected user', async () => {
    const answers = [
      hidden('AccountId'),
      composite(described(...SEEN), rows([rowOf(SEEN)])),
      rows([]),
    ];
    const { port, queries } = openScripted(answers);
    const found = await port.findByKey(['ada@example.com'], { rawData: true });
    expect(found.get('ada@example.com')).toMatchObject([{ firstName: 'Ada', accountId: null }]);
    // Raw data has the same fields as in later searches.
    expect(Object.keys(found.get('ada@example.com')?.[0]?.rawData ?? {}).toSorted()).toEqual(
      ['attributes', ...SEEN].toSorted(),
    );
    await port.findByKey(['ada@example.com'], { rawData: false });
    const [refused, describe, standard, next] = queries();
    expect(fieldsOf(refused)).toContain('AccountId');
    expect(describe).toMatch(/\/sobjects\/Contact\/describe$/);
    expect(fieldsOf(standard)).toEqual(['FIELDS(STANDARD)']);
    expect(fieldsOf(next).toSorted()).toEqual(SEEN.toSorted());
  });

  test.each([
    ['lack one of those that are visible', rows([rowOf(ALL)])],
    ['are refused', refusal(400, 'MALFORMED_QUERY')],
  ])('are requested by name where the rows of all standard fields %s', async (_, standard) => {
    const answers = [hidden('Fax'), composite(described(...SEEN), standard), rows([rowOf(SEEN)])];
    const { port, queries } = openScripted(answers);
    const found = await port.findByKey(['ada@example.com'], { rawData: false });
    expect(found.get('ada@example.com')).toHaveLength(1);
    expect(fieldsOf(queries().at(-1)).toSorted()).toEqual(SEEN.toSorted());
  });

  test('are left out one by one when the user may not describe the object', async () => {
    const denied = refusal(403, 'INSUFFICIENT_ACCESS');
    const answers = ['Fax', 'Phone'].flatMap((name) => [hidden(name), composite(denied, denied)]);
    const { port, queries } = openScripted([...answers, rows([])]);
    await port.findByKey(['ada@example.com'], { rawData: false });
    const left = fieldsOf(queries()[0]).filter((name) => name !== 'Fax' && name !== 'Phone');
    expect(fieldsOf(queries().at(-1))).toEqual(left);
  });

  test.each([
    ['Email', 'UNPROCESSABLE_ENTITY'],
    ['Id', 'REMOTE_PROVIDER_ERROR'],
    ['Nonsense__c', 'REMOTE_PROVIDER_ERROR'],
  ])('a look-up by email cannot go without %s: %s', async (name, code) => {
    const { found, requests } = find(CONNECTION, false, hidden(name));
    await expect(found).rejects.toMatchObject({ code });
    expect(requests).toHaveLength(1);
  });

  test('give an error, and no endless loop, when they stay hidden after they were left out', async () => {
    const denied = refusal(403, 'INSUFFICIENT_ACCESS');
    const answers = [hidden('Fax'), composite(described(...SEEN), denied), hidden('Fax')];
    const { found, requests } = find(CONNECTION, false, ...answers);
    await expect(found).rejects.toMatchObject({ code: 'REMOTE_PROVIDER_ERROR' });
    expect(requests).toHaveLength(3);
  });
});
