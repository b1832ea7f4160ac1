import type { Json } from './open-app.ts';

/** A record of the GraphQL face as the REST face would write it: other names, the same facts. */
export function toRestRecord(value: Json): Json {
  if (Array.isArray(value)) return value.map(toRestRecord);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [toRestName(name), toRestField(name, field)]),
  );
}

function toRestField(name: string, field: Json): Json {
  // The provider's own record: its names and values are the provider's.
  if (name === 'rawData') return field;
  if (name === '__typename') return field === 'PostgresDestination' ? 'postgres' : 'bigquery';
  if (ENUMS.has(name) && typeof field === 'string')
    return field === 'SIX_SENSE' ? '6sense' : field.toLowerCase();
  return toRestRecord(field);
}

function toRestName(name: string): string {
  if (name === 'remoteId') return 'id';
  if (name === '__typename') return 'type';
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replace(/^(street)(\d)$/, '$1_$2');
}

const ENUMS = new Set([
  'addressType',
  'emailAddressType',
  'phoneNumberType',
  'lifecycleStage',
  'providerName',
  'category',
  'type',
]);
