import {
  type AddressType,
  type Contact,
  LIFECYCLE_STAGES,
} from '../../src/domain/records/contact.ts';

/** A contact of the fake CRM: the source is added by the connection that reads it. */
export type FakePerson = Omit<Contact, 'source'>;

const ADDRESS_TYPES: readonly AddressType[] = [
  'primary',
  'mailing',
  'other',
  'billing',
  'shipping',
];
const FIRST_NAMES = ['Ada', 'Grace', 'Alan', 'Edsger', 'Barbara', 'Donald', 'Radia', 'Ken'];

/** Deterministic: person 1 is Ada, ada@example.com; person n is personN@example.com. Ids are 1 to `count`. */
export function createFakePeople(count: number): FakePerson[] {
  return Array.from({ length: count }, (_, index) => createFakePerson(index + 1));
}

function createFakePerson(number: number): FakePerson {
  const email = number === 1 ? 'ada@example.com' : `person${number}@example.com`;
  return {
    remoteId: String(number),
    accountId: `account-${number}`,
    ownerId: null,
    firstName: FIRST_NAMES[(number - 1) % FIRST_NAMES.length] ?? null,
    lastName: number === 1 ? 'Lovelace' : `Number ${number}`,
    addresses: [
      {
        addressType: ADDRESS_TYPES[number % ADDRESS_TYPES.length] ?? 'other',
        street1: `${number} St James’s Square`,
        street2: null,
        city: 'London',
        state: null,
        postalCode: null,
        country: 'GB',
      },
    ],
    emailAddresses: [{ emailAddress: email, emailAddressType: 'primary' }],
    phoneNumbers: [{ phoneNumber: '+44 20 0000 0000', phoneNumberType: 'mobile' }],
    lifecycleStage: LIFECYCLE_STAGES[(number - 1) % LIFECYCLE_STAGES.length] ?? null,
    lastActivityAt: null,
    createdAt: '2024-01-01T00:00:00.000Z',
    updatedAt: '2024-02-01T00:00:00.000Z',
    lastModifiedAt: '2024-02-01T00:00:00.000Z',
    isDeleted: false,
    rawData: { id: String(number), properties: { email } },
  };
}
