import type { Json } from '../support/open-app.ts';

/** Converts a GraphQL record to its REST form: other names, the same values, without nulls. */
export function toRestRecord(value: Json): Json {
  return rename(
    value,
    ([name, field]) => (field !== null || name === 'street2') && !isLeftOut(name, field),
  );
}

/** REST leaves out what a connection of a provider without records allows. */
function isLeftOut(name: string, field: Json): boolean {
  return name === 'grantedAccess' && field?.length === 0;
}

/** Converts a GraphQL input to its REST form: null keeps its meaning. */
export function toRestInput(value: Json): Json {
  return rename(value, () => true);
}

function rename(value: Json, keeps: Filter): Json {
  if (Array.isArray(value)) return value.map((item) => rename(item, keeps));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(keeps)
      .map(([name, field]) => [toRestName(name), toRestField(name, field, keeps)]),
  );
}

function toRestField(name: string, field: Json, keeps: Filter): Json {
  // The provider's own record is not converted.
  if (name === 'rawData') return field;
  if (name === '__typename') return field === 'PostgresDestination' ? 'postgres' : 'bigquery';
  if (ENUMS.has(name) && typeof field === 'string')
    return field === 'SIX_SENSE' ? '6sense' : field.toLowerCase();
  return rename(field, keeps);
}

type Filter = (entry: readonly [string, Json]) => boolean;

function toRestName(name: string): string {
  if (name === 'provider') return 'provider_name';
  if (name === 'remoteId') return 'id';
  if (name === '__typename') return 'type';
  return name
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .replace(/^(street)(\d)$/, '$1_$2');
}

const ENUMS = new Set([
  'addressType',
  'emailAddressType',
  'phoneNumberType',
  'lifecycleStage',
  'provider',
  'providerName',
  'category',
  'status',
  'statusReason',
  'type',
  'record',
]);
