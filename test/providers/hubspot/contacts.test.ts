import { describe, expect, test } from 'vitest';
import { LIFECYCLE_STAGES } from '../../../src/domain/records/contact.ts';
import { CONTACT_OBJECT } from '../../../src/providers/hubspot/contacts.ts';
import { fc } from '../../support/fast-check.ts';

const source = {
  type: 'CONTACT',
  applicationId: 'a',
  customerId: 'c',
  provider: 'hubspot',
} as const;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

function map(properties: Record<string, unknown>, more: Record<string, unknown> = {}) {
  return CONTACT_OBJECT.toRecord({ id: '501', properties, ...more }, source, { rawData: false });
}

describe('any input from HubSpot', () => {
  const names = [
    'email',
    'work_email',
    'hs_additional_emails',
    'firstname',
    'phone',
    'lifecyclestage',
    'createdate',
  ];
  const value = fc.oneof(
    fc.jsonValue(),
    fc.string(),
    fc.date({ noInvalidDate: false }).map(String),
  );
  const record = fc.record(
    {
      id: fc.oneof(fc.nat().map(String), fc.nat(), fc.jsonValue()),
      properties: fc.oneof(fc.dictionary(fc.constantFrom(...names), value), fc.jsonValue()),
      createdAt: value,
      updatedAt: value,
      archived: value,
    },
    { requiredKeys: [] },
  );

  test('is mapped to a contact of the common shape or to none, without an exception', () => {
    fc.assert(
      fc.property(fc.oneof(record, fc.jsonValue()), (wire) => {
        const contact = CONTACT_OBJECT.toRecord(wire, source, { rawData: true });
        if (contact === undefined) return;
        expect(contact.remoteId).not.toBe('');
        expect(contact.rawData).toBe(wire);
        for (const { emailAddress } of contact.emailAddresses)
          expect(emailAddress.trim()).not.toBe('');
        for (const { phoneNumber } of contact.phoneNumbers) expect(phoneNumber.trim()).not.toBe('');
        for (const at of [
          contact.createdAt,
          contact.updatedAt,
          contact.lastModifiedAt,
          contact.lastActivityAt,
        ])
          if (at !== null) expect(at).toMatch(TIMESTAMP);
        if (contact.lifecycleStage !== null)
          expect(LIFECYCLE_STAGES).toContain(contact.lifecycleStage);
      }),
      { numRuns: 2_000 },
    );
  });

  test.each([null, undefined, 7, 'text', [], {}, { id: '' }, { id: null }, { id: {} }])(
    '%j is no contact',
    (wire) => {
      expect(CONTACT_OBJECT.toRecord(wire, source, { rawData: false })).toBeUndefined();
    },
  );
});

test('a property that is null, empty, blank, missing or not a text is null', () => {
  const expected = {
    firstName: null,
    lastName: null,
    accountId: null,
    addresses: [],
    emailAddresses: [],
    phoneNumbers: [],
  };
  for (const properties of [
    {},
    { firstname: null, lastname: null, email: null, phone: null, city: null },
    {
      firstname: '',
      lastname: '',
      email: '',
      phone: '',
      city: '',
      hs_additional_emails: '',
      associatedcompanyid: '',
    },
    {
      firstname: ' ',
      lastname: '\t',
      email: ' ',
      phone: '\n',
      zip: ' ',
      hs_additional_emails: ' ; ;',
    },
    {
      firstname: {},
      lastname: [],
      email: { a: 1 },
      phone: [1],
      city: {},
      hs_additional_emails: ['a@b.example'],
    },
  ])
    expect(map(properties)).toMatchObject(expected);
});

test.each<[string | null, string | null]>([
  ...LIFECYCLE_STAGES.map((stage): [string, string] => [stage, stage]),
  ['CUSTOMER', 'customer'],
  ['48151623', 'other'],
  ['my_own_stage', 'other'],
  ['', null],
  [null, null],
])('the stage %s is %s', (wire, stage) => {
  expect(map({ lifecyclestage: wire })?.lifecycleStage).toBe(stage);
});

test('an email in several properties is listed once, with the type of the first', () => {
  expect(
    map({
      email: 'Ada@Example.com',
      work_email: ' ada@example.com ',
      hs_additional_emails: 'ADA@EXAMPLE.COM; b@example.com;;B@example.com;c@example.com',
    })?.emailAddresses,
  ).toEqual([
    { emailAddress: 'Ada@Example.com', emailAddressType: 'primary' },
    { emailAddress: 'b@example.com', emailAddressType: 'other' },
    { emailAddress: 'c@example.com', emailAddressType: 'other' },
  ]);
});

test('a partial address is an address', () => {
  expect(map({ country: 'Peru' })?.addresses).toEqual([
    {
      addressType: 'primary',
      street1: null,
      street2: null,
      city: null,
      state: null,
      postalCode: null,
      country: 'Peru',
    },
  ]);
});

test('a street of two lines is mapped to street1 and street2', () => {
  expect(map({ address: '12 St James’s Square\r\nSecond floor ' })?.addresses[0]).toMatchObject({
    street1: '12 St James’s Square',
    street2: 'Second floor',
  });
});

test('times are read from the record first, then from its properties', () => {
  const properties = {
    createdate: '2020-01-01T00:00:00.000Z',
    lastmodifieddate: '2021-01-01T00:00:00Z',
  };
  expect(map(properties)).toMatchObject({
    createdAt: '2020-01-01T00:00:00.000Z',
    updatedAt: '2021-01-01T00:00:00.000Z',
    lastModifiedAt: '2021-01-01T00:00:00.000Z',
  });
  const at = '2022-02-02T02:02:02.002Z';
  expect(map(properties, { createdAt: at, updatedAt: at })).toMatchObject({
    createdAt: at,
    updatedAt: at,
  });
  expect(map({}, { updatedAt: at })).toMatchObject({
    createdAt: null,
    updatedAt: at,
    lastModifiedAt: at,
  });
});

test('numbers become texts, and an archived record is deleted', () => {
  const wire = {
    id: 501,
    archived: true,
    properties: { associatedcompanyid: 5790939450, hubspot_owner_id: 17 },
  };
  expect(CONTACT_OBJECT.toRecord(wire, source, { rawData: false })).toMatchObject({
    remoteId: '501',
    isDeleted: true,
    accountId: '5790939450',
    ownerId: '17',
    rawData: null,
  });
});
