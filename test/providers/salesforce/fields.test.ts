import { describe, expect, test } from 'vitest';
import type { Connection } from '../../../src/domain/connection.ts';
import { CONNECTION, openScripted, refusal, rows, type Scripted } from './scripted-send.ts';

const mapping = (mappedField: string, schemaField = `our_${mappedField}`) => ({ schemaField, mappedField });
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
      ...{ entityId: 'e1', object: { type: 'standard', name: 'Contact' } },
      fieldMappings: [mapping('Title'), mapping("Id FROM Contact WHERE Id != '"), mapping('email')],
    },
    {
      ...{ entityId: 'e2', object: { type: 'custom', name: 'Contact' } },
      fieldMappings: [mapping('Size__c')],
    },
    { ...{ entityId: 'e3', object: null }, fieldMappings: [mapping('Nobody__c')] },
  ],
};

function find(connection: Connection, rawData: boolean, ...answers: readonly Scripted[]) {
  const { port, ...script } = openScripted(answers, connection);
  return { ...script, found: port.findByEmails(['ada@example.com'], { rawData }) };
}

function fieldsOf(query = ''): readonly string[] {
  return /^SELECT (\S+) FROM/.exec(query)?.[1]?.split(',') ?? [];
}

describe('mapped fields', () => {
  test('are fetched, each once, with raw data', async () => {
    const { found, queries } = find(
      MAPPED,
      true,
      rows([{ Id: '1', Email: 'ada@example.com', Title: 'Countess' }]),
    );
    expect((await found).get('ada@example.com')?.[0]?.rawData).toMatchObject({ Title: 'Countess' });
    const common = fieldsOf(queries()[0]).slice(0, -3);
    expect(fieldsOf(queries()[0]).slice(-3)).toEqual(['Favorite_Color__c', 'Account.Name', 'Title']);
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
    ["Didn't understand relationship 'Account' in field path.", 'Account.Name'],
  ])('that Salesforce does not have are named: %s', async (message, field) => {
    const { found } = find(MAPPED, true, refusal(400, 'INVALID_FIELD', `\nSELECT Id\n ^\nERROR\n${message}`));
    await expect(found).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_ERROR',
      message: expect.stringContaining(`"our_${field}" names the Contact field "${field}"`),
      remote: { code: 400 },
    });
  });
});

describe('common fields', () => {
  test('that are hidden from the connected user are left out', async () => {
    const hidden = (name: string) =>
      refusal(400, 'INVALID_FIELD', `No such column '${name}' on entity 'Contact'.`);
    const { found, queries } = find(CONNECTION, false, hidden('AssistantPhone'), hidden('Fax'), rows([]));
    await found;
    expect(fieldsOf(queries()[2])).toEqual(
      fieldsOf(queries()[0]).filter((name) => name !== 'AssistantPhone' && name !== 'Fax'),
    );
  });

  test.each(['Email', 'Id', 'Nonsense__c'])('cannot go without %s', async (name) => {
    const { found, requests } = find(
      CONNECTION,
      false,
      refusal(400, 'INVALID_FIELD', `No such column '${name}'`),
    );
    await expect(found).rejects.toMatchObject({ code: 'REMOTE_PROVIDER_ERROR' });
    expect(requests).toHaveLength(1);
  });

  test('that stay hidden after they were left out do not go round in circles', async () => {
    const hidden = refusal(400, 'INVALID_FIELD', "No such column 'Fax' on entity 'Contact'.");
    const { found, requests } = find(CONNECTION, false, hidden, hidden);
    await expect(found).rejects.toMatchObject({ code: 'REMOTE_PROVIDER_ERROR' });
    expect(requests).toHaveLength(2);
  });
});
