import type { Person } from '../people.ts';
import { recordId } from './contact-view.ts';
import { findProperty, type PropertyDefinition } from './property-definitions.ts';
import type { HubSpotAccount } from './types.ts';

/**
 * A contact in HubSpot's format: every value is a string or null, three properties are always present, unknown ones
 * never.
 */
export function toRecord(
  account: HubSpotAccount,
  person: Person,
  requested: readonly string[] | undefined,
): object {
  const properties: Record<string, string | null> = {};
  for (const name of new Set([...ALWAYS, ...(requested ?? DEFAULT)])) {
    const property = findProperty(account, name);
    if (property === undefined) continue;
    const value = written(account, property, property.read(person, account));
    if (value !== null || !account.quirks.omitUnsetProperties) properties[name] = value;
  }
  const id = recordId(person.index);
  return {
    id,
    properties,
    createdAt: moment(account, person.createdAt),
    updatedAt: moment(account, person.updatedAt),
    archived: person.isDeleted,
    ...(person.isDeleted && { archivedAt: moment(account, person.updatedAt) }),
    ...(!account.quirks.withoutRecordUrl && { url: `${account.instanceUrl}/record/0-1/${id}` }),
  };
}

/** The history of each requested property. Only the current value is stored, so it has one entry. */
export function toHistory(
  account: HubSpotAccount,
  person: Person,
  names: readonly string[],
): object {
  const entries = names.flatMap((name) => {
    const property = findProperty(account, name);
    const value = property?.read(person, account) ?? null;
    const timestamp = moment(account, person.updatedAt);
    return value === null ? [] : [[name, [{ value, timestamp, sourceType: 'CRM_UI' }]] as const];
  });
  return Object.fromEntries(entries);
}

/** A value as responses show it. */
export function written(
  account: HubSpotAccount,
  property: PropertyDefinition,
  value: string | null,
): string | null {
  if (value === null || value === '') return value;
  const { dateForm, emptyParts } = account.quirks;
  if (property.type === 'datetime')
    return dateForm === 'epoch' ? String(Date.parse(value)) : moment(account, Date.parse(value));
  return emptyParts && property.fieldType === 'checkbox'
    ? `;${value.replaceAll(';', ';;')};`
    : value;
}

/** A record's own timestamps are never in epoch milliseconds. */
export function moment({ quirks }: HubSpotAccount, at: number): string {
  const iso = new Date(at).toISOString();
  return quirks.dateForm === 'seconds' ? iso.replace(/\.\d{3}Z$/, 'Z') : iso;
}

const ALWAYS = ['createdate', 'hs_object_id', 'lastmodifieddate'];
const DEFAULT = ['email', 'firstname', 'lastname'];
