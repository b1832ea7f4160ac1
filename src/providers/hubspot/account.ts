import type { Connection, FieldMapping } from '../../domain/connection.ts';
import { CONTACT_FIELDS, type Contact } from '../../domain/contact.ts';
import { toContactOrigin } from '../../domain/contact-origin.ts';
import {
  type FieldSelection,
  readSelectedFields,
  type SelectedFields,
} from '../../domain/field-selection.ts';
import type { Send } from '../../domain/remote.ts';
import { createAsk, type HubSpotAsk } from './call.ts';
import { PROPERTIES_OF, toContact } from './contacts.ts';

/** One customer's HubSpot, as every read sees it. */
export function openAccount(send: Send, connection: Connection): HubSpotAccount {
  const source = toContactOrigin(connection);
  const account: HubSpotAccount = {
    ask: createAsk(send),
    propertiesFor: (selection) => propertiesFor(connection, selection),
    toContact: (record, { rawData }) => toContact(record, { source, rawData }),
    toContacts: (records, selection) =>
      records
        .map((record) => account.toContact(record, selection))
        .filter((contact) => contact !== undefined),
  };
  return account;
}

/** What HubSpot finds a contact by, and what therefore has to come along: a hit is looked at again. */
const KEYS = ['email', 'hs_additional_emails', 'hs_object_id'];

const remembered = new WeakMap<SelectedFields, readonly string[]>();

const EVERY_PROPERTY = toProperties(new Set(CONTACT_FIELDS));

/** The properties that are asked for; with raw data, those as well that the customer has mapped. */
export function propertiesFor(connection: Connection, selection: FieldSelection): readonly string[] {
  const fields = readSelectedFields(selection);
  if (fields) return toProperties(fields);
  return selection.rawData ? withMappedProperties(connection) : EVERY_PROPERTY;
}

function toProperties(fields: SelectedFields): readonly string[] {
  const known = remembered.get(fields);
  if (known) return known;
  const properties = new Set(KEYS);
  for (const field of fields) for (const property of PROPERTIES_OF[field]) properties.add(property);
  const names = [...properties];
  remembered.set(fields, names);
  return names;
}

/** Of the mappings that the customer has made, those of contacts count. */
function withMappedProperties(connection: Connection): readonly string[] {
  const { schemaMappingsConfig: schemas, entityMappings } = connection;
  const objects = [...(schemas?.commonObjects ?? []), ...(schemas?.standardObjects ?? [])];
  const mappings = [
    ...objects.filter(({ object }) => isContact(object)),
    ...(entityMappings ?? []).filter(({ object }) => object?.type === 'standard' && isContact(object.name)),
  ].flatMap(({ fieldMappings }): readonly FieldMapping[] => fieldMappings);
  const mapped = mappings.map(({ mappedField }) => mappedField.trim()).filter((field) => field !== '');
  return [...new Set([...EVERY_PROPERTY, ...mapped])];
}

function isContact(object: string | null): boolean {
  return object !== null && /^contacts?$/i.test(object.trim());
}

export interface HubSpotAccount {
  readonly ask: HubSpotAsk;
  propertiesFor(selection: FieldSelection): readonly string[];
  /** Undefined where it is no record. */
  toContact(record: unknown, selection: FieldSelection): Contact | undefined;
  toContacts(records: readonly unknown[], selection: FieldSelection): readonly Contact[];
}
