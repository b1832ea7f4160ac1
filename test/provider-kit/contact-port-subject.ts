import type { Fault, FaultTiming, Person } from '@crossbook/sandbox';
import type { Connection } from '../../src/domain/connection.ts';
import type { CrmAccess } from '../../src/domain/provider.ts';
import type { Contact } from '../../src/domain/records/contact.ts';
import type { TestContacts } from '../support/redacted.ts';

/** The CRM under test: what it is, and how to open an account with certain people. */
export interface Subject {
  readonly access: CrmAccess;
  /** A fresh account. Its people are numbered from 1 in the given order. */
  open(people: readonly Partial<Person>[]): Fixture;
  /** The contact that the CRM makes of `WHOLE_PERSON`, without the fields that the contract computes itself. */
  readonly wholeContact: Omit<Contact, 'source' | 'remoteId' | 'accountId' | 'ownerId' | 'rawData'>;
  /** The CRM's name for the customer's custom field `favorite_color`. */
  readonly customField: string;
  /** Reads a field of a record in the CRM's wire format. */
  readRaw(record: Readonly<Record<string, unknown>>, field: string): unknown;
}

export interface Fixture {
  readonly account: TestAccount;
  openPort(connection?: Partial<Connection>): TestContacts;
}

/** What both simulated CRMs offer to a test. */
export interface TestAccount {
  recordId(index: number): string;
  addPerson(person: Partial<Person>): string;
  updatePerson(recordId: string, person: Partial<Person>): boolean;
  removePerson(recordId: string): boolean;
  mergePerson(recordId: string, survivorId: string): boolean;
  callCount(operation?: string): number;
  resetCalls(): void;
  fail(fault: Fault, timing?: FaultTiming): void;
}

/** Every field that any CRM could have. */
export const WHOLE_PERSON: Partial<Person> = {
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@whole.example',
  secondaryEmails: ['ada.lovelace@analytical.example', 'countess@whole.example'],
  workEmail: 'ada@work.example',
  phone: '+44 20 7946 0001',
  mobilePhone: '+44 7700 900001',
  homePhone: '+44 20 7946 0011',
  otherPhone: '+44 20 7946 0012',
  fax: '+44 20 7946 0099',
  jobTitle: 'Countess of Computing',
  mailingAddress: {
    street: '12 St James’s Square',
    city: 'London',
    state: 'England',
    postalCode: 'SW1Y 4JH',
    country: 'United Kingdom',
  },
  otherAddress: {
    street: 'Ockham Park',
    city: 'Ockham',
    state: 'Surrey',
    postalCode: 'GU23',
    country: 'UK',
  },
  lifecycleStage: 'customer',
  companyIndex: 1,
  ownerIndex: 1,
  dealIndexes: [1, 2],
  ticketIndexes: [1],
  lastActivityAt: Date.UTC(2026, 9, 14, 15, 9, 26, 535),
  createdAt: Date.UTC(2024, 11, 10, 8, 0, 0, 123),
  updatedAt: Date.UTC(2026, 10, 2, 11, 45, 30, 678),
  custom: { favorite_color: 'violet' },
};

export const PLAIN = { rawData: false };
export const RAW = { rawData: true };

export function idsOf(contacts: Iterable<Contact>): readonly string[] {
  return Array.from(contacts, ({ remoteId }) => remoteId);
}

/** This many people of one domain, and after each a person whose domain differs slightly. */
export function crowd(count: number, domain: string): readonly Partial<Person>[] {
  const strangers = [`x.${domain}`, `x${domain}`, `${domain}.x`];
  return Array.from({ length: count }, (_, index) => [
    { email: `person.${index}@${domain}` },
    { email: `person.${index}@${strangers[index % strangers.length]}` },
  ]).flat();
}
