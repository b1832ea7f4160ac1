import { describe, expect, test } from 'vitest';
import { CONTACT_OBJECT } from '../../../src/providers/salesforce/contacts.ts';
import { fc } from '../../support/fast-check.ts';

const source = {
  type: 'CONTACT',
  applicationId: 'app',
  customerId: 'acme',
  provider: 'salesforce',
} as const;
const map = (row: Record<string, unknown>) =>
  CONTACT_OBJECT.toRecord(row, source, { rawData: false });

const ROW = {
  attributes: { type: 'Contact', url: '/services/data/v66.0/sobjects/Contact/003RO0000000001YAA' },
  Id: '003RO0000000001YAA',
  AccountId: '001RO0000000001YAA',
  OwnerId: '005RO0000000001YAA',
  FirstName: 'Ada',
  LastName: 'Lovelace',
  Email: 'Ada@Example.com',
  IsDeleted: false,
  Phone: '1',
  MobilePhone: '2',
  Fax: '3',
  HomePhone: '4',
  OtherPhone: '5',
  AssistantPhone: '6',
  MailingAddress: {
    street: '12 St James’s Square\r\nSecond floor\nBack',
    city: 'London',
    state: 'England',
    postalCode: 'SW1Y 4JH',
    country: 'United Kingdom',
    latitude: null,
    geocodeAccuracy: null,
  },
  OtherAddress: { street: 'Ockham Park', city: null, state: null, postalCode: null, country: null },
  LastActivityDate: '2026-10-14',
  CreatedDate: '2021-12-02T18:22:42.000+0000',
  LastModifiedDate: '2026-11-02T11:45:30.678+0000',
  SystemModstamp: '2026-11-03T00:00:00.000+0000',
};

test('a complete row is mapped to a complete contact', () => {
  expect(map(ROW)).toEqual({
    source,
    remoteId: '003RO0000000001YAA',
    accountId: '001RO0000000001YAA',
    ownerId: '005RO0000000001YAA',
    firstName: 'Ada',
    lastName: 'Lovelace',
    addresses: [
      {
        addressType: 'mailing',
        street1: '12 St James’s Square',
        street2: 'Second floor\nBack',
        city: 'London',
        state: 'England',
        postalCode: 'SW1Y 4JH',
        country: 'United Kingdom',
      },
      {
        addressType: 'other',
        street1: 'Ockham Park',
        street2: null,
        city: null,
        state: null,
        postalCode: null,
        country: null,
      },
    ],
    emailAddresses: [{ emailAddress: 'Ada@Example.com', emailAddressType: 'primary' }],
    phoneNumbers: [
      { phoneNumber: '1', phoneNumberType: 'primary' },
      { phoneNumber: '2', phoneNumberType: 'mobile' },
      { phoneNumber: '3', phoneNumberType: 'fax' },
      { phoneNumber: '4', phoneNumberType: 'other' },
      { phoneNumber: '5', phoneNumberType: 'other' },
      { phoneNumber: '6', phoneNumberType: 'other' },
    ],
    lifecycleStage: null,
    lastActivityAt: '2026-10-14T00:00:00.000Z',
    createdAt: '2021-12-02T18:22:42.000Z',
    updatedAt: '2026-11-02T11:45:30.678Z',
    lastModifiedAt: '2026-11-03T00:00:00.000Z',
    isDeleted: false,
    rawData: null,
  });
});

test('raw data is the row itself, and is absent unless it is selected', () => {
  expect(CONTACT_OBJECT.toRecord(ROW, source, { rawData: true }).rawData).toBe(ROW);
  expect(map(ROW).rawData).toBeNull();
});

test('a row with only an id is mapped to a contact with only an id', () => {
  const { source: _, ...contact } = map({ Id: '003RO0000000001YAA' });
  expect(contact).toEqual({
    remoteId: '003RO0000000001YAA',
    accountId: null,
    ownerId: null,
    firstName: null,
    lastName: null,
    addresses: [],
    emailAddresses: [],
    phoneNumbers: [],
    lifecycleStage: null,
    lastActivityAt: null,
    createdAt: null,
    updatedAt: null,
    lastModifiedAt: null,
    isDeleted: false,
    rawData: null,
  });
});

test('an address of nulls and blanks is left out', () => {
  const nothing = { street: ' \n ', city: '', state: null, postalCode: undefined, country: [] };
  expect(map({ ...ROW, MailingAddress: nothing, OtherAddress: null }).addresses).toEqual([]);
});

test('without a SystemModstamp the last modification is LastModifiedDate', () => {
  expect(map({ ...ROW, SystemModstamp: undefined }).lastModifiedAt).toBe(
    '2026-11-02T11:45:30.678Z',
  );
});

test('a deleted row is mapped to a deleted contact', () => {
  expect(map({ ...ROW, IsDeleted: true }).isDeleted).toBe(true);
});

describe('dirty rows', () => {
  const field = fc.oneof(fc.constantFrom(...Object.keys(ROW)), fc.string());
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        street: fc.jsonValue(),
        city: fc.jsonValue(),
        state: fc.jsonValue(),
        country: fc.jsonValue(),
      },
      { requiredKeys: [] },
    ),
  );

  test('are mapped to the common shape without an exception', () => {
    fc.assert(
      fc.property(fc.dictionary(field, anything), (row) => {
        const contact = map(row);
        expect(typeof contact.remoteId).toBe('string');
        for (const time of [contact.createdAt, contact.updatedAt, contact.lastActivityAt]) {
          if (time !== null) expect(time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
        }
        const texts = [
          contact.firstName,
          contact.lastName,
          contact.accountId,
          contact.ownerId,
          ...contact.phoneNumbers.map(({ phoneNumber }) => phoneNumber),
          ...contact.addresses.flatMap(({ addressType: _, ...lines }) => Object.values(lines)),
        ];
        for (const text of texts) expect(text === null || text.trim().length > 0).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
