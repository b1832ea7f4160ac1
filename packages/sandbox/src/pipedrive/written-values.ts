import { readJson } from '../http.ts';
import { invalid, PipedriveError } from './errors.ts';
import { type Custom, customFieldsOf, type FieldObject } from './fields.ts';
import { isOwner, ownerIndexOf, toPipedriveIndex } from './record-ids.ts';
import type { EndpointContext, PipedriveAccount } from './types.ts';

/** The index of the user that a record is to belong to. */
export function ownerOf(value: unknown): number {
  const id = numberOf(value, 'owner_id');
  if (id === null || !isOwner(id)) throw new PipedriveError(400, 'owner_id: user not found');
  return ownerIndexOf(id);
}

/** The index of the organization that a record is to be linked to. */
export function organizationOf({ records }: PipedriveAccount, value: unknown): number | null {
  const id = numberOf(value, 'org_id');
  if (id === null) return null;
  const index = toPipedriveIndex('company', String(id));
  const company = records.get('company', index);
  if (!company || company.isDeleted)
    throw new PipedriveError(400, 'org_id: organization not found');
  return index;
}

/** Values of custom fields by their names, as records have them. */
export function customOf(
  account: PipedriveAccount,
  object: FieldObject,
  value: unknown,
): Readonly<Record<string, string | null>> {
  if (!isObject(value)) throw invalid('custom_fields: must be an object');
  const fields = customFieldsOf(account, object);
  const custom = Object.entries(value).map(([key, one]) => {
    const field = fields.find((known) => known.key === key);
    if (!field) throw invalid(`custom_fields: Unrecognized key in object: ${key}`);
    return [field.name, toStored(field, one)] as const;
  });
  return Object.fromEntries(custom);
}

function toStored({ key, type, options = [] }: Custom, value: unknown): string | null {
  if (value === null) return null;
  const refuse = (what: string) => invalid(`custom_fields.${key}: must be ${what}`);
  const optionOf = (id: unknown) => {
    const option = typeof id === 'number' ? options[id - 1] : undefined;
    if (option === undefined) throw refuse('the id of an option');
    return option;
  };
  switch (type) {
    case 'double':
    case 'user':
      if (typeof value !== 'number') throw refuse('a number');
      return String(value);
    case 'monetary':
      if (!isObject(value) || typeof value['value'] !== 'number') throw refuse('an amount');
      return String(value['value']);
    case 'date':
      if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) throw refuse('a date');
      return value;
    case 'enum':
      return optionOf(value);
    case 'set':
      if (!Array.isArray(value) || value.length === 0) throw refuse('a list of ids');
      return value.map(optionOf).join(';');
    default:
      if (typeof value !== 'string') throw refuse('a string');
      if (type === 'varchar' && value.length > 255) throw refuse('at most 255 characters long');
      return value;
  }
}

export function readBody(context: EndpointContext): Body {
  const body = objectBody(context);
  if (Object.keys(body).length === 0) throw invalid('The body has no fields.');
  return body;
}

export function objectBody({ call }: EndpointContext): Body {
  const value = readJson(call.request);
  if (!isObject(value)) throw invalid('The body must be a JSON object.');
  return value;
}

export function textOf(value: unknown, name: string): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value !== 'string') throw invalid(`${name}: must be a string`);
  return value.trim() || null;
}

export function numberOf(value: unknown, name: string): number | null {
  if (value === null) return null;
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw invalid(`${name}: must be an integer`);
  return value;
}

export function isObject(value: unknown): value is Body {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export type Body = Readonly<Record<string, unknown>>;
