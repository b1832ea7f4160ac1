import type { Person, PersonAddress } from '../../people.ts';
import { PREFIXES } from '../data/objects.ts';
import { SalesforceError } from '../errors.ts';
import type { Row } from '../soql/table.ts';
import type { SalesforceAccount } from '../types.ts';
import { makeId, numberOf } from '../values/record-id.ts';
import type { ApiRequest } from './api-request.ts';
import type { Named, ObjectWriter } from './object-writer.ts';

export const CONTACT_WRITER: ObjectWriter = {
  requires: ['LastName'],

  check(apiRequest, { named, before, current }) {
    const email = String(current('Email') ?? '');
    checkLocks(apiRequest.account, email);
    if (before === undefined || named.has('Email')) checkDuplicates(apiRequest, email, before);
  },

  create: ({ people }, named) => makeId(PREFIXES.Contact, people.add(toPerson(named, undefined))),

  change({ people }, id, named) {
    const index = numberOf(id.slice(0, 15), PREFIXES.Contact) ?? 0;
    people.change(index, toPerson(named, people.get(index)));
  },
};

function checkLocks({ quirks, state }: SalesforceAccount, email: string): void {
  if (!quirks.lockedEmails.includes(email)) return;
  const tries = (state.lockTries.get(email) ?? 0) + 1;
  state.lockTries.set(email, tries);
  if (quirks.locksLast || tries === 1)
    throw new SalesforceError(
      400,
      'UNABLE_TO_LOCK_ROW',
      'unable to obtain exclusive access to this record',
    );
}

function checkDuplicates(apiRequest: ApiRequest, email: string, before: Row | undefined): void {
  const { account, allowsDuplicates } = apiRequest;
  const { duplicateRule, duplicateKeyMisspelt, leads } = account.quirks;
  if (duplicateRule === null || email === '') return;
  const contacts = account.people
    .byEmail(email)
    .flatMap((index) => account.people.get(index) ?? [])
    .filter((person) => !person.isDeleted && person.email?.toLowerCase() === email.toLowerCase())
    .map(({ index }) => ({ type: 'Contact', id: makeId(PREFIXES.Contact, index) }))
    .filter(({ id }) => id !== before?.['Id']);
  const matchingLeads = leads.flatMap((one, place) =>
    one.toLowerCase() === email.toLowerCase()
      ? [{ type: 'Lead', id: makeId(PREFIXES.Lead, place + 1) }]
      : [],
  );
  const matches = [...contacts, ...matchingLeads];
  const allowSave = duplicateRule === 'alert';
  if (matches.length === 0 || (allowSave && allowsDuplicates)) return;
  const entityType = matches[0]?.type;
  throw new SalesforceError(400, 'DUPLICATES_DETECTED', 'Use one of these records?', undefined, {
    [duplicateKeyMisspelt ? 'duplicateResut' : 'duplicateResult']: {
      allowSave,
      duplicateRule: 'Standard_Contact_Duplicate_Rule',
      duplicateRuleEntityType: 'Contact',
      errorMessage: 'Use one of these records?',
      matchResults: [
        {
          entityType,
          errors: [],
          matchEngine: 'FuzzyMatchEngine',
          matchRecords: matches.map(({ type, id }) => ({
            additionalInformation: [],
            fieldDiffs: [],
            matchConfidence: 100,
            record: { attributes: { type }, Id: id },
          })),
          rule: 'Standard_Contact_Match_Rule_v1_1',
          size: matches.length,
          success: true,
        },
      ],
    },
  });
}

/** The inverse of the row of a person. */
function toPerson(named: Named, before: Person | undefined): Partial<Person> {
  const changes: Record<string, unknown> = {};
  const addresses: Record<string, Record<string, unknown>> = {};
  const custom: Record<string, string | null> = {};
  for (const [name, value] of named) {
    const [, kind = '', part = ''] =
      /^(Mailing|Other)(Street|City|State|PostalCode|Country)$/.exec(name) ?? [];
    if (FIELDS[name]) changes[FIELDS[name]] = value;
    else if (kind) {
      addresses[kind] = {
        ...addresses[kind],
        [part.charAt(0).toLowerCase() + part.slice(1)]: value,
      };
    } else if (name === 'OwnerId')
      changes['ownerIndex'] = numberOf(String(value).slice(0, 15), PREFIXES.User) ?? null;
    else if (name === 'AccountId') {
      const company =
        value === null ? null : (numberOf(String(value).slice(0, 15), PREFIXES.Account) ?? null);
      changes['companyIndex'] = company;
      const others = before?.otherCompanyIndexes ?? [];
      if (others.some((one) => one === company))
        changes['otherCompanyIndexes'] = others.filter((one) => one !== company);
    } else custom[toCustomName(name)] = value === null ? null : String(value);
  }
  const merged = (kind: 'Mailing' | 'Other', known: PersonAddress | null | undefined) =>
    addresses[kind] && { ...NO_ADDRESS, ...known, ...addresses[kind] };
  const [mailingAddress, otherAddress] = [
    merged('Mailing', before?.mailingAddress),
    merged('Other', before?.otherAddress),
  ];
  return {
    ...changes,
    ...(mailingAddress && { mailingAddress }),
    ...(otherAddress && { otherAddress }),
    ...(Object.keys(custom).length > 0 && { custom: { ...before?.custom, ...custom } }),
  } as Partial<Person>;
}

/** `Favorite_Color__c` is `favorite_color`. */
export function toCustomName(name: string): string {
  return name.replace(/__c$/, '').toLowerCase();
}

const NO_ADDRESS = { street: null, city: null, state: null, postalCode: null, country: null };
const FIELDS: Readonly<Record<string, string>> = {
  FirstName: 'firstName',
  LastName: 'lastName',
  Email: 'email',
  Phone: 'phone',
  Fax: 'fax',
  MobilePhone: 'mobilePhone',
  HomePhone: 'homePhone',
  OtherPhone: 'otherPhone',
  Title: 'jobTitle',
};
