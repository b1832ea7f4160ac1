import type { Connection, FieldMapping } from '../../domain/connection.ts';

/** What a contact is made of. HubSpot sends only what is named. */
export const PROPERTIES: readonly string[] = [
  'email',
  'work_email',
  'hs_additional_emails',
  'firstname',
  'lastname',
  'phone',
  'mobilephone',
  'fax',
  'address',
  'city',
  'state',
  'zip',
  'country',
  'lifecyclestage',
  'hubspot_owner_id',
  'associatedcompanyid',
  'notes_last_updated',
  'createdate',
  'lastmodifieddate',
  'hs_object_id',
];

/** The same, and the properties of contacts that the customer has mapped to fields of the application. */
export function withMappedProperties(connection: Connection): readonly string[] {
  const { schemaMappingsConfig: schemas, entityMappings } = connection;
  const objects = [...(schemas?.commonObjects ?? []), ...(schemas?.standardObjects ?? [])];
  const mappings = [
    ...objects.filter(({ object }) => isContact(object)),
    ...(entityMappings ?? []).filter(({ object }) => object?.type === 'standard' && isContact(object.name)),
  ].flatMap(({ fieldMappings }): readonly FieldMapping[] => fieldMappings);
  const mapped = mappings.map(({ mappedField }) => mappedField.trim()).filter((field) => field !== '');
  return [...new Set([...PROPERTIES, ...mapped])];
}

function isContact(object: string): boolean {
  return /^contacts?$/i.test(object.trim());
}
