import type { Person } from '../people.ts';
import { recordId } from './contact-view.ts';
import { findProperty } from './property-definitions.ts';
import type { HubSpotAccount } from './types.ts';

/** A contact as HubSpot writes it: every value a text or null, three properties always there, unknown ones never. */
export function toRecord(
  account: HubSpotAccount,
  person: Person,
  wanted: readonly string[] | undefined,
): object {
  const properties: Record<string, string | null> = {};
  for (const name of new Set([...ALWAYS, ...(wanted ?? DEFAULT)])) {
    const property = findProperty(account.people, name);
    if (property === undefined) continue;
    const value = property.read(person, account.people);
    if (value !== null || !account.quirks.omitUnsetProperties) properties[name] = value;
  }
  const id = recordId(person.index);
  return {
    id,
    properties,
    createdAt: new Date(person.createdAt).toISOString(),
    updatedAt: new Date(person.updatedAt).toISOString(),
    archived: person.isDeleted,
    ...(person.isDeleted && { archivedAt: new Date(person.updatedAt).toISOString() }),
    ...(!account.quirks.withoutRecordUrl && { url: `${account.instanceUrl}/record/0-1/${id}` }),
  };
}

const ALWAYS = ['createdate', 'hs_object_id', 'lastmodifieddate'];
const DEFAULT = ['email', 'firstname', 'lastname'];
