import type { Person } from '../people.ts';
import { normalEmail } from '../people-table.ts';
import { emailOf, indexOfRecord, ownerIndexOf, ownerOfEmail, recordId } from './contact-view.ts';
import { HubSpotError, invalid } from './errors.ts';
import { findProperty } from './property-definitions.ts';
import { toRecord } from './record.ts';
import type { HubSpotAccount } from './types.ts';
import { createWriteEndpoints, type Input, replacesStage } from './writes.ts';

export const CONTACT_WRITES = createWriteEndpoints({
  name: 'CONTACT',
  requiresOneOf: ['email', 'firstname', 'lastname'],
  findProperty,

  find({ people }, id) {
    let person = people.get(indexOfRecord(id) ?? 0);
    while (person?.mergedInto !== undefined) person = people.get(person.mergedInto);
    return person?.isDeleted ? undefined : person?.index;
  },

  findBy({ people, quirks }, property, value) {
    if (property !== 'email') throw invalid('idProperty has to be a unique property of CONTACT');
    const owner = ownerOfEmail(people, value, false);
    const isSecondary = owner && emailOf(people, owner) !== normalEmail(value);
    return isSecondary && quirks.upsertIgnoresAliases ? undefined : owner?.index;
  },

  /** Emails are unique, also as additional ones. */
  checkUnique({ people }, { properties }, own) {
    const email = properties.get('email');
    const owner = email ? ownerOfEmail(people, email, false) : undefined;
    if (!owner || owner.index === own) return;
    const id = recordId(owner.index);
    throw new HubSpotError(409, {
      message: `Contact already exists. Existing ID: ${id}`,
      category: 'CONFLICT',
      context: { existingId: [id] },
    });
  },

  checkBatch(inputs) {
    const emails = inputs.flatMap(({ properties }) => properties.get('email') || []);
    if (new Set(emails.map(normalEmail)).size < emails.length)
      throw new HubSpotError(409, { message: 'Contact already exists.', category: 'CONFLICT' });
  },

  create(account, input) {
    const blank = { lifecycleStage: 'lead' };
    return account.people.add({ ...blank, ...toPerson(account, input, undefined) });
  },

  change(account, index, input) {
    account.people.change(index, toPerson(account, input, account.people.get(index)));
  },

  show(account, index, { properties }) {
    const person = account.people.get(index) as Person;
    return toRecord(account, person, [...properties.keys(), 'email', 'hs_additional_emails']);
  },
});

/** The inverse of the properties that are read from a person. */
function toPerson(
  { quirks }: HubSpotAccount,
  { properties }: Input,
  before: Person | undefined,
): Partial<Person> {
  const changes: Record<string, unknown> = {};
  const address: Record<string, string | null> = {};
  const custom: Record<string, string | null> = {};
  for (const [name, value] of properties) {
    if (name === 'email') changes['email'] = normalEmail(value);
    else if (FIELDS[name]) changes[FIELDS[name]] = value;
    else if (ADDRESS[name]) address[ADDRESS[name]] = value;
    else if (name === 'hubspot_owner_id')
      changes['ownerIndex'] = value ? ownerIndexOf(value) : null;
    else if (name === 'lifecyclestage') {
      if (replacesStage(quirks, value, before?.lifecycleStage))
        changes['lifecycleStage'] = value || null;
    } else custom[name] = value;
  }
  return {
    ...changes,
    ...(Object.keys(address).length > 0 && {
      mailingAddress: { ...NO_ADDRESS, ...before?.mailingAddress, ...address },
    }),
    ...(Object.keys(custom).length > 0 && { custom: { ...before?.custom, ...custom } }),
  };
}

const FIELDS: Readonly<Record<string, string>> = {
  work_email: 'workEmail',
  firstname: 'firstName',
  lastname: 'lastName',
  phone: 'phone',
  mobilephone: 'mobilePhone',
  fax: 'fax',
  jobtitle: 'jobTitle',
};
const ADDRESS: Readonly<Record<string, string>> = {
  address: 'street',
  city: 'city',
  state: 'state',
  zip: 'postalCode',
  country: 'country',
};
const NO_ADDRESS = { street: null, city: null, state: null, postalCode: null, country: null };
