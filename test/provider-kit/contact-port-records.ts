import { expect, test } from 'vitest';
import type { Connection } from '../../src/domain/connection.ts';
import { CONTACT_FIELDS } from '../../src/domain/records/contact.ts';
import {
  crowd,
  idsOf,
  listingOf,
  PLAIN,
  RAW,
  type Subject,
  WHOLE_PERSON,
  withoutPlace,
} from './contact-port-subject.ts';

export function testRecords(subject: Subject): void {
  test('every field of a complete person is mapped, by lookup, page and id', async () => {
    const { account, openPort } = subject.open([WHOLE_PERSON]);
    const port = openPort();
    const remoteId = account.recordId(1);
    const contact = (await port.findByIds([remoteId], PLAIN)).get(remoteId);
    expect(contact).toMatchObject({ ...subject.wholeContact, remoteId, rawData: null });
    expect(contact?.source).toEqual({
      type: 'CONTACT',
      applicationId: expect.any(String),
      customerId: 'acme',
      provider: expect.any(String),
    });
    expect(contact?.accountId).toMatch(/^\w+$/);
    expect(contact?.ownerId).toMatch(/^\w+$/);
    expect((await port.findByKey(['ada@whole.example'], PLAIN)).get('ada@whole.example')).toEqual([
      contact,
    ]);
    const run = { direction: 'forward', from: undefined, limit: 5 } as const;
    const { filter } = listingOf(subject, 'whole.example');
    expect((await port.readList(filter, run, PLAIN)).map(withoutPlace)).toEqual([contact]);
  });

  test.each([
    ['never set', {}],
    [
      'set once and cleared',
      { firstName: '', lastName: '', phone: '', mobilePhone: '', fax: '', lifecycleStage: '' },
    ],
  ])('a field that was %s is null or an empty list', async (_, person) => {
    const { account, openPort } = subject.open([person]);
    const remoteId = account.recordId(1);
    expect((await openPort().findByIds([remoteId], PLAIN)).get(remoteId)).toMatchObject({
      accountId: null,
      firstName: null,
      addresses: [],
      emailAddresses: [],
      phoneNumbers: [],
      lifecycleStage: null,
      lastActivityAt: null,
      isDeleted: false,
      rawData: null,
    });
  });

  test('a field selected alone has the same value as among all fields, by lookup, page and id', async () => {
    const { account, openPort } = subject.open([WHOLE_PERSON]);
    const port = openPort();
    const remoteId = account.recordId(1);
    const whole = (await port.findByIds([remoteId], PLAIN)).get(remoteId);
    const run = { direction: 'forward', from: undefined, limit: 5 } as const;
    const { filter } = listingOf(subject, 'whole.example');
    for (const field of CONTACT_FIELDS) {
      const selection = { rawData: false, fields: new Set([field]) };
      const found = [
        (await port.findByIds([remoteId], selection)).get(remoteId),
        (await port.findByKey(['ada@whole.example'], selection)).get('ada@whole.example')?.[0],
        (await port.readList(filter, run, selection))[0],
      ];
      for (const contact of found)
        expect(contact).toMatchObject({ remoteId, [field]: whole?.[field] });
    }
    const nothing = { rawData: false, fields: new Set<never>() };
    expect(
      (await port.findByKey(['ada@whole.example'], nothing)).get('ada@whole.example'),
    ).toMatchObject([{ remoteId, firstName: null, phoneNumbers: [], lastActivityAt: null }]);
  });

  test('unknown and malformed ids are missing from the result', async () => {
    const { account, openPort } = subject.open([
      { email: 'a@here.example' },
      { email: 'b@here.example' },
    ]);
    account.removePerson(account.recordId(2));
    const existing = account.recordId(1);
    const ids = [
      '',
      '0',
      "'",
      '../../x',
      'null',
      account.recordId(2),
      account.recordId(99),
      existing,
      existing,
    ];
    expect([...(await openPort().findByIds(ids, PLAIN)).keys()]).toEqual([existing]);
    expect((await openPort().findByIds([], PLAIN)).size).toBe(0);
  });

  if (!subject.forgetsMergedIds)
    test('the id of a merged contact finds the surviving contact, also after several merges', async () => {
      const { account, openPort } = subject.open([
        { firstName: 'Old', email: 'old@b.example' },
        { firstName: 'Older', email: 'older@b.example' },
        { firstName: 'Survivor', email: 'survivor@b.example' },
      ]);
      const [old = '', older = '', survivor = ''] = [1, 2, 3].map((index) =>
        account.recordId(index),
      );
      account.mergePerson(older, old);
      account.mergePerson(old, survivor);
      for (const requested of [[older, survivor, old], [old], [older]]) {
        const found = await openPort().findByIds(requested, PLAIN);
        expect([...found.keys()].toSorted()).toEqual(requested.toSorted());
        for (const contact of found.values()) {
          expect(contact).toMatchObject({
            remoteId: survivor,
            firstName: 'Survivor',
            isDeleted: false,
          });
        }
      }
      account.removePerson(survivor);
      expect((await openPort().findByIds([older, old, survivor], PLAIN)).size).toBe(0);
    });

  test('hundreds of ids are read in few calls', async () => {
    const { account, openPort } = subject.open(crowd(175, 'here.example'));
    const ids = Array.from({ length: 350 }, (_, index) => account.recordId(index + 1));
    const found = await openPort().findByIds(ids, PLAIN);
    expect(new Set(found.keys())).toEqual(new Set(ids));
    expect(account.callCount()).toBeLessThanOrEqual(4);
  });

  test('raw data is the CRM’s record, with the fields that the customer has mapped', async () => {
    const mappedField = subject.customField;
    const fieldMappings = [{ schemaField: 'color', mappedField }];
    const mapped: readonly Partial<Connection>[] = [
      {
        schemaMappingsConfig: {
          commonObjects: [{ object: 'contact', fieldMappings }],
          standardObjects: [],
        },
      },
      {
        schemaMappingsConfig: {
          commonObjects: [],
          standardObjects: [{ object: 'Contact', fieldMappings }],
        },
      },
      {
        entityMappings: [
          { entityId: null, object: { type: 'standard', name: 'Contact' }, fieldMappings },
        ],
      },
    ];
    const { account, openPort } = subject.open([WHOLE_PERSON]);
    const id = account.recordId(1);
    for (const connection of mapped) {
      const record = (await openPort(connection).findByIds([id], RAW)).get(id)?.rawData;
      expect(record && subject.readRaw(record, mappedField)).toBe('violet');
    }
  });

  if (!subject.sendsAllFields)
    test('custom fields of other object types are not requested, and none are when raw data is not selected', async () => {
      const fieldMappings = [{ schemaField: 'color', mappedField: subject.customField }];
      const connection: Partial<Connection> = {
        schemaMappingsConfig: {
          commonObjects: [{ object: 'account', fieldMappings }],
          standardObjects: [],
        },
        entityMappings: [
          { entityId: null, object: { type: 'custom', name: 'Contact' }, fieldMappings },
        ],
      };
      const { account, openPort } = subject.open([WHOLE_PERSON]);
      const port = openPort(connection);
      const id = account.recordId(1);
      const record = (await port.findByIds([id], RAW)).get(id)?.rawData;
      expect(record && subject.readRaw(record, subject.customField)).toBeUndefined();
      expect((await port.findByIds([id], PLAIN)).get(id)?.rawData).toBeNull();
    });

  test('records have one shape: ids are strings, unique and of this account', async () => {
    const { filter, crowd } = listingOf(subject, 'here.example');
    const { account, openPort } = subject.open(crowd(3));
    const run = { direction: 'forward', from: undefined, limit: 5 } as const;
    const contacts = await openPort().readList(filter, run, PLAIN);
    expect(idsOf(contacts)).toEqual([1, 3, 5].map((index) => account.recordId(index)));
  });
}

/** For a CRM without associations. */
export function testNoAssociations(subject: Subject): void {
  test('a port without associations does not offer the operation', () => {
    expect(subject.open([]).openPort().related).toBeUndefined();
  });
}

export function testAssociations(subject: Subject): void {
  test('the associations of a thousand contacts cost as few calls as the CRM allows; a contact without any has an empty list', async () => {
    const loner = { email: 'loner@here.example' };
    const { account, openPort } = subject.open([
      ...Array.from({ length: 999 }, () => WHOLE_PERSON),
      loner,
    ]);
    const ids = Array.from({ length: 1_000 }, (_, index) => account.recordId(index + 1));
    const found = await openPort().related?.(ids, 'company');
    expect(account.callCount()).toBe(subject.callsPerAssociations ?? 1);
    expect(idsOfAll(found)).toEqual(ids);
    expect(found?.get(account.recordId(1000))).toEqual([]);
    expect(found?.get(account.recordId(1))).toHaveLength(1);
  });

  test('the account of a contact is one of its associated companies', async () => {
    const { account, openPort } = subject.open([WHOLE_PERSON]);
    const port = openPort();
    const id = account.recordId(1);
    const remoteId = (await port.findByIds([id], PLAIN)).get(id)?.accountId;
    expect((await port.related?.([id], 'company'))?.get(id)).toEqual([
      { object: 'company', remoteId },
    ]);
    expect((await port.related?.([id], 'deal'))?.get(id)).toHaveLength(2);
    if (subject.access.records.CONTACT.associatedObjects.includes('ticket'))
      expect((await port.related?.([id], 'ticket'))?.get(id)).toHaveLength(1);
  });
}

function idsOfAll(found: ReadonlyMap<string, unknown> | undefined): readonly string[] {
  return [...(found?.keys() ?? [])];
}
