import { toFieldKey } from './identity.ts';
import type { CustomFieldDefinition, PipedriveAccount } from './types.ts';

/** The custom fields of an object: those that are defined, and those that records have values of. */
export function customFieldsOf(account: PipedriveAccount, object: FieldObject): readonly Custom[] {
  const { quirks, people, records } = account;
  const names =
    object === 'person'
      ? [...Object.keys(quirks.customFields), ...namesOf(people.all())]
      : records
          .valueNames(object === 'deal' ? 'deal' : 'company')
          .filter((name) => !STANDARD_VALUES[object].includes(name));
  return [...new Set(names)]
    .filter((name) => object !== 'person' || !quirks.deletedFields.includes(name))
    .map((name) => ({
      name,
      key: toFieldKey(object, name),
      ...((object === 'person' ? quirks.customFields[name] : undefined) ?? TEXT),
    }));
}

/** The values by key. A field without a value is null. */
export function valuesOf(
  account: PipedriveAccount,
  object: FieldObject,
  values: Readonly<Record<string, string | null>>,
): Readonly<Record<string, unknown>> {
  const fields = customFieldsOf(account, object);
  return Object.fromEntries(fields.map((one) => [one.key, toValue(one, values[one.name] ?? null)]));
}

function toValue({ type, options = [] }: Custom, text: string | null): unknown {
  if (text === null || text === '') return null;
  const idOf = (option: string) => options.indexOf(option.trim()) + 1;
  switch (type) {
    case 'double':
    case 'user':
      return Number(text);
    case 'monetary':
      return { value: Number(text), currency: 'EUR' };
    case 'enum':
      return idOf(text) || null;
    case 'set':
      return text.split(';').map(idOf).filter(Boolean);
    default:
      return text;
  }
}

/** The list of fields: standard ones by their names in records, and custom ones by their keys. */
export function describeFields(
  account: PipedriveAccount,
  object: FieldObject,
): readonly Readonly<Record<string, unknown>>[] {
  const standard = STANDARD[object].map(([code, name, type]) => ({
    field_name: name,
    field_code: code,
    field_type: type,
    is_custom_field: false,
    is_optional_response_field: false,
    options: null,
    subfields: null,
  }));
  const custom = customFieldsOf(account, object).map(({ key, name, label, type, options }) => ({
    field_name: label ?? toLabel(name),
    field_code: key,
    field_type: type,
    is_custom_field: true,
    is_optional_response_field: false,
    options: options?.map((option, place) => ({ id: place + 1, label: option })) ?? null,
    subfields: null,
  }));
  return [...standard, ...custom];
}

function toLabel(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function namesOf(people: readonly { readonly custom: object }[]): readonly string[] {
  const known = names.get(people) ?? [
    ...new Set(people.flatMap(({ custom }) => Object.keys(custom))),
  ];
  names.set(people, known);
  return known;
}

const names = new WeakMap<readonly object[], readonly string[]>();

const TEXT: CustomFieldDefinition = { type: 'varchar' };

const STANDARD: Readonly<
  Record<FieldObject, readonly (readonly [code: string, name: string, type: string])[]>
> = {
  person: [
    ['id', 'ID', 'int'],
    ['name', 'Name', 'varchar'],
    ['first_name', 'First name', 'varchar'],
    ['last_name', 'Last name', 'varchar'],
    ['emails', 'Email', 'varchar'],
    ['phones', 'Phone', 'phone'],
    ['owner_id', 'Owner', 'user'],
    ['org_id', 'Organization', 'org'],
    ['job_title', 'Job title', 'varchar'],
    ['postal_address', 'Postal address', 'address'],
    ['add_time', 'Person created', 'date'],
    ['update_time', 'Update time', 'date'],
  ],
  organization: [
    ['id', 'ID', 'int'],
    ['name', 'Name', 'varchar'],
    ['owner_id', 'Owner', 'user'],
    ['website', 'Website', 'varchar'],
    ['address', 'Address', 'address'],
    ['employee_count', 'Number of employees', 'int'],
    ['annual_revenue', 'Annual revenue', 'monetary'],
  ],
  deal: [
    ['id', 'ID', 'int'],
    ['title', 'Title', 'varchar'],
    ['value', 'Value', 'monetary'],
    ['status', 'Status', 'status'],
    ['stage_id', 'Stage', 'stage'],
    ['expected_close_date', 'Expected close date', 'date'],
    ['owner_id', 'Owner', 'user'],
    ['person_id', 'Contact person', 'people'],
    ['org_id', 'Organization', 'org'],
    ['lost_reason', 'Lost reason', 'varchar'],
  ],
};

/** The values of records that have fields of their own, or none. */
const STANDARD_VALUES: Readonly<Record<FieldObject, readonly string[]>> = {
  person: [],
  organization: [
    ...['name', 'domain', 'website', 'phone', 'industry', 'numberofemployees', 'annualrevenue'],
    ...['currency', 'address', 'city', 'state', 'zip', 'country', 'lifecyclestage', 'type'],
    ...['owner', 'parent'],
  ],
  deal: [
    ...['name', 'amount', 'currency', 'closedate', 'pipeline', 'dealstage', 'nextstep', 'type'],
    ...['leadsource', 'owner', 'probability', 'status', 'lostreason'],
  ],
};

export type FieldObject = 'person' | 'organization' | 'deal';

export interface Custom extends CustomFieldDefinition {
  readonly name: string;
  readonly key: string;
}
