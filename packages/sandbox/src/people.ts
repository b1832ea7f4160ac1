/** Completes a person from the few fields that matter to a test. */
export function toPerson(some: Partial<Person>, index: number): Person {
  return { ...NOBODY, ...some, index };
}

/** Users who have left: one in ten. */
export function isInactiveOwner(ownerIndex: number): boolean {
  return ownerIndex > 0 && ownerIndex % 10 === 0;
}

export const BEGINNING = Date.UTC(2023, 0, 2, 9, 30, 0, 250);

const NOBODY: Person = {
  index: 0,
  firstName: null,
  lastName: null,
  email: null,
  secondaryEmails: [],
  workEmail: null,
  phone: null,
  mobilePhone: null,
  homePhone: null,
  otherPhone: null,
  fax: null,
  jobTitle: null,
  mailingAddress: null,
  otherAddress: null,
  lifecycleStage: null,
  companyIndex: null,
  otherCompanyIndexes: [],
  ownerIndex: null,
  dealIndexes: [],
  ticketIndexes: [],
  lastActivityAt: null,
  createdAt: BEGINNING,
  updatedAt: BEGINNING,
  isDeleted: false,
  mergedInto: undefined,
  custom: {},
};

/**
 * A person independent of any CRM. Null means "never set", an empty string "set once and cleared". Each CRM
 * translates: HubSpot lower-cases emails and assigns a shared one to its first owner only.
 */
export interface Person {
  /** Ascending from 1: both CRMs derive record ids from it, in the same order. */
  readonly index: number;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly email: string | null;
  readonly secondaryEmails: readonly string[];
  readonly workEmail: string | null;
  readonly phone: string | null;
  readonly mobilePhone: string | null;
  readonly homePhone: string | null;
  readonly otherPhone: string | null;
  readonly fax: string | null;
  readonly jobTitle: string | null;
  readonly mailingAddress: PersonAddress | null;
  readonly otherAddress: PersonAddress | null;
  /** One of HubSpot's eight stages, or the number of a custom stage. */
  readonly lifecycleStage: string | null;
  /** The primary company. */
  readonly companyIndex: number | null;
  readonly otherCompanyIndexes: readonly number[];
  readonly ownerIndex: number | null;
  readonly dealIndexes: readonly number[];
  readonly ticketIndexes: readonly number[];
  /** Milliseconds since 1970. */
  readonly lastActivityAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly isDeleted: boolean;
  /** The index of the person that this one was merged into. Only deleted people can be merged. */
  readonly mergedInto: number | undefined;
  /** Custom fields of a customer, in snake_case (Salesforce: `Favorite_Color__c`). */
  readonly custom: Readonly<Record<string, string | null>>;
}

export interface PersonAddress {
  readonly street: string | null;
  readonly city: string | null;
  readonly state: string | null;
  readonly postalCode: string | null;
  readonly country: string | null;
}
