import type { Person } from '../people.ts';
import { normalEmail } from '../people-table.ts';
import { gone, invalid, notFound } from './errors.ts';
import { indexOfPerson } from './record-ids.ts';
import type { Endpoint, PipedriveAccount } from './types.ts';
import { toPerson } from './views.ts';
import {
  type Body,
  customOf,
  isObject,
  objectBody,
  organizationOf,
  ownerOf,
  readBody,
  textOf,
} from './written-values.ts';

/** Nothing is unique: a person with the same addresses is another one. */
export const createPerson: Endpoint = (context) => {
  const { account } = context;
  const body = readBody(context);
  if (textOf(body['name'], 'name') === null) throw invalid('name: is required');
  const index = account.people.add(toChanges(account, body, undefined));
  return show(account, index, 201);
};

/** Only the given fields change, and a list replaces the one that the person has. */
export const updatePerson: Endpoint = (context) => {
  const { account, parts } = context;
  const [id = ''] = parts;
  const index = indexOfPerson(id) ?? 0;
  const { goneOnWrite } = account.quirks;
  // Another user is faster.
  if (goneOnWrite.includes(id)) account.people.change(index, { isDeleted: true });
  const before = account.people.get(index);
  if (!before) throw notFound('Person');
  if (before.isDeleted) throw gone('Person');
  account.people.change(index, toChanges(account, readBody(context), before));
  return show(account, index, 200);
};

/** API v1: the person of the path is merged into that of the body, and is deleted. */
export const mergePersons: Endpoint = (context) => {
  const { account, parts } = context;
  const [id = ''] = parts;
  const into = indexOfPerson(String(objectBody(context)['merge_with_id'])) ?? 0;
  const index = indexOfPerson(id) ?? 0;
  for (const one of [index, into]) {
    const person = account.people.get(one);
    if (!person) throw notFound('Person');
    if (person.isDeleted) throw gone('Person');
  }
  account.people.merge(index, into);
  return show(account, into, 200);
};

function show(account: PipedriveAccount, index: number, status: number) {
  const data = toPerson(account, account.people.get(index) as Person);
  return { status, body: { success: true, data } };
}

function toChanges(
  account: PipedriveAccount,
  body: Body,
  before: Person | undefined,
): Partial<Person> {
  const changes: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    const read = Object.hasOwn(READERS, name) ? READERS[name] : undefined;
    if (!read) throw invalid(`Unrecognized key in object: ${name}`);
    Object.assign(changes, read(value, { account, before }));
  }
  return changes;
}

const READERS: Readonly<Record<string, Reader>> = {
  name: (value, { account }) => toNames(account, textOf(value, 'name')),
  owner_id: (value) => ({ ownerIndex: ownerOf(value) }),
  org_id: (value, { account }) => ({ companyIndex: organizationOf(account, value) }),
  emails(value) {
    const [first, ...others] = labelledOf(value, 'emails');
    const work = others.find(({ label }) => label === 'work');
    return {
      email: first?.value ?? null,
      workEmail: work?.value ?? null,
      secondaryEmails: others.filter((one) => one !== work).map((one) => one.value),
    };
  },
  phones(value) {
    const all = labelledOf(value, 'phones');
    const numberWith = (label: string) => all.find((one) => one.label === label)?.value ?? null;
    const plain = all.find(({ label }) => !['mobile', 'home', 'other', 'fax'].includes(label));
    return {
      phone: plain?.value ?? null,
      mobilePhone: numberWith('mobile'),
      homePhone: numberWith('home'),
      otherPhone: numberWith('other'),
      fax: numberWith('fax'),
    };
  },
  job_title(value, { account: { quirks } }) {
    if (quirks.withoutContactSync) throw invalid('Unrecognized key in object: job_title');
    return { jobTitle: textOf(value, 'job_title') };
  },
  custom_fields: (value, { account, before }) => ({
    custom: { ...before?.custom, ...customOf(account, 'person', value) },
  }),
};

/** The parts are made of the name: by default the first word is the first name. */
function toNames({ quirks }: PipedriveAccount, name: string | null): Partial<Person> {
  if (name === null) throw invalid('name: must not be empty');
  const words = name.split(/\s+/);
  const first = quirks.lastWordIsLastName && words.length > 1 ? words.length - 1 : 1;
  return {
    firstName: words.slice(0, first).join(' '),
    lastName: words.slice(first).join(' ') || null,
  };
}

/** The primary entry first. Of several without one, it is the first. */
function labelledOf(value: unknown, name: string): readonly Labelled[] {
  if (!Array.isArray(value)) throw invalid(`${name}: must be an array`);
  const all = value.map((entry: unknown) => {
    const text = isObject(entry) ? textOf(entry['value'], `${name}.value`) : null;
    if (!isObject(entry) || text === null) throw invalid(`${name}.value: is required`);
    if (name === 'emails' && !normalEmail(text).includes('@'))
      throw invalid('emails.value: must be an email address');
    return {
      value: text,
      label: String(entry['label'] ?? ''),
      isPrimary: entry['primary'] === true,
    };
  });
  return all.sort((one, other) => Number(other.isPrimary) - Number(one.isPrimary));
}

type Reader = (
  value: unknown,
  to: { readonly account: PipedriveAccount; readonly before: Person | undefined },
) => Partial<Person>;

interface Labelled {
  readonly value: string;
  readonly label: string;
  readonly isPrimary: boolean;
}
