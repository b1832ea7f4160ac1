import type { Fault, FaultTiming, Person, PipedriveAccount } from '@crossbook/sandbox';
import type { Connection } from '../../src/domain/connection.ts';
import type { CrmAccess } from '../../src/domain/provider.ts';
import type { ListFilter } from '../../src/domain/records/conditions.ts';
import type { Contact } from '../../src/domain/records/contact.ts';
import { byDomain } from '../support/by-domain.ts';
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
  /** The most calls of a look-up of a full batch of emails. Default: one. */
  readonly callsPerBatch?: number;
  /** The calls that find the companies of a thousand contacts. Default: one. */
  readonly callsPerAssociations?: number;
  /** The sandbox's name of the call that has the records of a look-up, where it is not the first. */
  readonly recordsOperation?: string;
  /** The CRM does not find a surviving record by the id of a merged one. */
  readonly forgetsMergedIds?: true;
  /** The raw data of a record are all of its fields. */
  readonly sendsAllFields?: true;
  /** Reads a field of a record in the CRM's wire format. */
  readRaw(record: Readonly<Record<string, unknown>>, field: string): unknown;
}

export interface Fixture {
  readonly account: TestAccount;
  openPort(connection?: Partial<Connection>): TestContacts;
}

/** What all simulated CRMs offer to a test. */
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

/** What the kit uses of a simulated account behind the product's own HTTP client. */
export type SimulatedAccount = Pick<
  PipedriveAccount,
  | 'instanceUrl'
  | 'clientId'
  | 'clientSecret'
  | 'accessToken'
  | 'refreshToken'
  | 'expireAccessToken'
  | 'recordId'
  | 'indexOf'
  | 'callCount'
  | 'fail'
>;

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

/**
 * A list of people of one domain for tests of pages: by that domain, or where the CRM has no such filter, by the time of
 * their modification.
 */
export function listingOf({ access }: Pick<Subject, 'access'>, domain: string): Listing {
  const { filters, isForwardOnly, isUncounted } = access.records.CONTACT;
  const hasDomains = 'emailDomain' in filters;
  const member = hasDomains ? {} : { updatedAt: MEMBERS_SINCE };
  return {
    filter: hasDomains ? byDomain(domain) : modifiedSince(MEMBERS_SINCE),
    nobody: hasDomains ? byDomain('nobody.example') : modifiedSince(Date.UTC(2098, 0, 1)),
    member,
    crowd: (count) =>
      crowd(count, domain).map((person, place) => (place % 2 ? person : { ...person, ...member })),
    directions: isForwardOnly ? ['forward'] : ['forward', 'backward'],
    counted: (count) => (isUncounted ? null : count),
  };
}

function modifiedSince(since: number): ListFilter {
  return { by: 'modifiedSince', since, until: Date.UTC(2099, 0, 1) };
}

const MEMBERS_SINCE = Date.UTC(2026, 0, 1);

interface Listing {
  readonly filter: ListFilter;
  /** A list of nobody. */
  readonly nobody: ListFilter;
  /** What makes a person one of the list, besides the domain. */
  readonly member: Partial<Person>;
  crowd(count: number): readonly Partial<Person>[];
  readonly directions: readonly ('forward' | 'backward')[];
  /** What the CRM says of a list with so many. */
  counted(count: number): number | null;
}

/** The range that begins at a record, which may be in it, as a client that has read it goes on. */
export function after(last: Contact | undefined) {
  return { from: last?.remoteId, place: last?.place?.cursor };
}

/** A contact without its place in the list that it was read from. */
export function withoutPlace({ place: _, ...contact }: Contact): Contact {
  return contact;
}

/** This many people of one domain, and after each a person whose domain differs slightly. */
export function crowd(count: number, domain: string): readonly Partial<Person>[] {
  const strangers = [`x.${domain}`, `x${domain}`, `${domain}.x`];
  return Array.from({ length: count }, (_, index) => [
    { email: `person.${index}@${domain}` },
    { email: `person.${index}@${strangers[index % strangers.length]}` },
  ]).flat();
}
