import type { CustomFieldValue } from '../../domain/custom-field.ts';
import { normalizeEmail } from '../../domain/email.ts';
import type { ContactChangeField } from '../../domain/records/contact-changes.ts';
import type { ChangeTable } from '../../domain/records/writable.ts';
import type { DescribedField } from '../../domain/writing.ts';
import { toText } from '../../lib/text.ts';
import { toEmailType } from './contacts.ts';
import { toWriting } from './fields.ts';
import type { Wire } from './object.ts';
import { type Labelled, toLabelled, toPhoneType } from './values.ts';
import { BY_INDEX, type DeclaredWrites } from './writes.ts';

const FIELDS: ChangeTable<ContactChangeField> = {
  accountId: { to: 'org_id' },
  ownerId: { to: 'owner_id' },
  firstName: { to: 'first_name' },
  lastName: { to: 'last_name' },
  addresses: {
    readOnly:
      'cannot be written in Pipedrive, which takes apart the text of an address by its own rules.',
  },
  emailAddresses: {
    type: 'emailAddressType',
    value: 'emailAddress',
    entries: { primary: 'emails.primary', work: 'emails.work', other: 'emails.other' },
  },
  phoneNumbers: {
    type: 'phoneNumberType',
    value: 'phoneNumber',
    entries: {
      primary: 'phones.primary',
      mobile: 'phones.mobile',
      fax: 'phones.fax',
      other: 'phones.other',
    },
  },
  lifecycleStage: { readOnly: 'does not exist in Pipedrive.' },
};

/** The lists of a person, which are replaced as a whole: the types of their entries, each with the label that it gets. */
const LISTS: Readonly<Record<'emails' | 'phones', LabelledList>> = {
  emails: {
    typeOf: ({ label, isPrimary }) => toEmailType(label, isPrimary),
    labels: { primary: 'work', work: 'work', other: 'other' },
  },
  phones: {
    typeOf: ({ label, isPrimary }) => toPhoneType(label, isPrimary),
    labels: { primary: 'work', mobile: 'mobile', fax: 'fax', other: 'other' },
  },
};
const NAMES = ['emails', 'phones'] as const;
const NAME_PARTS = ['first_name', 'last_name'] as const;

export const CONTACT_WRITES: DeclaredWrites = {
  fields: FIELDS,
  keyField: 'emails.primary',
  parts: NAMES.flatMap((name) =>
    Object.keys(LISTS[name].labels).map((type) => toPart(`${name}.${type}`)),
  ),
  requiresOneOf: ['name', 'first_name', 'last_name'],
  ...BY_INDEX,
  isPart: (name) => name.includes('.') || NAME_PARTS.some((part) => part === name),
  readParts: (person) =>
    Object.fromEntries(
      NAMES.flatMap((name) =>
        Object.keys(LISTS[name].labels).map((type) => [
          `${name}.${type}`,
          readPart(person, name, type),
        ]),
      ),
    ),
  toWhole: ({ values, key }, person = NO_PERSON) => ({
    ...toName(values, person),
    ...Object.fromEntries(
      NAMES.flatMap((name) => {
        const list = toList(name, values, person, key);
        return list ? [[name, list]] : [];
      }),
    ),
  }),
};

function toPart(name: string): DescribedField {
  return {
    name,
    label: name,
    type: 'TEXT',
    isCustom: false,
    isFilterable: false,
    choices: [],
    writing: toWriting('text', true),
  };
}

/** Several entries of one type are no value that an entry can have: they are replaced. */
function readPart(person: Wire, name: keyof typeof LISTS, type: string): string | null {
  const { typeOf } = LISTS[name];
  const entries = toLabelled(person[name]).filter((entry) => typeOf(entry) === type);
  return entries.length === 0 ? null : entries.map(({ value }) => value).join(', ');
}

/** Pipedrive takes the name as a whole, and makes the parts of it by its own rules. */
function toName(values: Values, person: Wire): Wire {
  if (values.has('name')) return { name: values.get('name') };
  if (!NAME_PARTS.some((part) => values.has(part))) return {};
  // A last name that was written alone has become the first one: it is not written twice.
  const last = values.get('last_name');
  const isAlone = !values.has('first_name') && toText(person['last_name']) === null;
  if (isAlone && last === toText(person['first_name'])) return { name: last };
  const name = NAME_PARTS.map((part) =>
    values.has(part) ? values.get(part) : toText(person[part]),
  )
    .filter(Boolean)
    .join(' ');
  return { name };
}

/** Undefined: nothing of the list is to be written. The address by which an upsert found the person is always kept. */
function toList(
  name: keyof typeof LISTS,
  values: Values,
  person: Wire,
  key: string | null,
): readonly WireEntry[] | undefined {
  const { typeOf, labels } = LISTS[name];
  if (!Object.keys(labels).some((type) => values.has(`${name}.${type}`))) return undefined;
  const current = toLabelled(person[name]);
  const toEntry = ({ value, label, isPrimary }: Labelled): WireEntry => ({
    value,
    primary: isPrimary,
    ...(label !== null && { label }),
  });
  const list = Object.entries(labels).flatMap(([type, label]): readonly WireEntry[] => {
    const part = `${name}.${type}`;
    const value = values.get(part) ?? null;
    if (!values.has(part)) return current.filter((entry) => typeOf(entry) === type).map(toEntry);
    return value === null ? [] : [{ value: String(value), label, primary: type === 'primary' }];
  });
  const isKey = ({ value }: { readonly value: string }) => normalizeEmail(value) === key;
  const found = current.filter(isKey);
  const whole = list.some(isKey) ? list : [...list, ...found.map(toEntry)];
  // One of a list is the primary one.
  return whole.some(({ primary }) => primary)
    ? whole
    : whole.map((entry, place) => ({ ...entry, primary: place === 0 }));
}

/** A new person has nothing yet. */
const NO_PERSON: Wire = {};

interface LabelledList {
  typeOf(entry: Labelled): string;
  readonly labels: Readonly<Record<string, string>>;
}

interface WireEntry {
  readonly value: string;
  readonly primary: boolean;
  readonly label?: string;
}

type Values = ReadonlyMap<string, CustomFieldValue>;
