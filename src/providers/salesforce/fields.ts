import type { Connection, FieldMapping } from '../../domain/connection.ts';
import { CONTACT_FIELDS, type ContactField, readWantedFields, type Want } from '../../domain/want.ts';
import { type FieldName, fieldName, isFieldName } from './soql.ts';

export const ID = fieldName('Id');
export const EMAIL = fieldName('Email');

/** What is selected for one connection: the common fields and, for raw data, those that the connection maps. */
export function createFields(connection: Connection): ContactFields {
  const mappings = readMappings(connection);
  const hidden = new Set<string>();
  return {
    names(want) {
      const fields = readWantedFields(want);
      if (fields) return unique(toNames(fields), hidden);
      const mapped = want.rawData ? mappings.map(({ mappedField }) => mappedField) : [];
      return unique([...COMMON, ...mapped.filter(isFieldName)], hidden);
    },
    hide(column) {
      const name = column.toLowerCase();
      const canGo = !hidden.has(name) && OPTIONAL.has(name);
      if (canGo) hidden.add(name);
      return canGo;
    },
    mappingOf(column) {
      const name = column.toLowerCase();
      return mappings.find(({ mappedField }) => mappedField.toLowerCase().split('.').includes(name));
    },
  };
}

/** Both of the connection's mappings, as far as they speak of contacts. */
function readMappings({ schemaMappingsConfig, entityMappings }: Connection): readonly FieldMapping[] {
  const objects = [
    ...(schemaMappingsConfig?.commonObjects ?? []),
    ...(schemaMappingsConfig?.standardObjects ?? []),
    ...(entityMappings ?? []).flatMap(({ object, fieldMappings }) =>
      object?.type === 'standard' ? [{ object: object.name, fieldMappings }] : [],
    ),
  ];
  return objects
    .filter(({ object }) => object?.toLowerCase() === 'contact')
    .flatMap(({ fieldMappings }) => fieldMappings);
}

/** Field names are case-insensitive, and selecting one twice is an error. */
function unique(names: readonly FieldName[], hidden: ReadonlySet<string>): readonly FieldName[] {
  const byName = new Map<string, FieldName>();
  for (const name of names) {
    const key = name.toLowerCase();
    if (!byName.has(key) && !hidden.has(key)) byName.set(key, name);
  }
  return [...byName.values()];
}

function toNames(fields: Iterable<ContactField>): readonly FieldName[] {
  return [ID, EMAIL, ...[...fields].flatMap((field) => NAMES_OF[field]).map(fieldName)];
}

/** What each field of a contact is made of. The addresses are compounds: one field each instead of five. */
const NAMES_OF: Readonly<Record<ContactField, readonly string[]>> = {
  accountId: ['AccountId'],
  ownerId: ['OwnerId'],
  firstName: ['FirstName'],
  lastName: ['LastName'],
  emailAddresses: [],
  phoneNumbers: ['Phone', 'MobilePhone', 'Fax', 'HomePhone', 'OtherPhone', 'AssistantPhone'],
  addresses: ['MailingAddress', 'OtherAddress'],
  // Leads have a status in Salesforce, contacts have no stage.
  lifecycleStage: [],
  lastActivityAt: ['LastActivityDate'],
  createdAt: ['CreatedDate'],
  updatedAt: ['LastModifiedDate'],
  lastModifiedAt: ['SystemModstamp', 'LastModifiedDate'],
  isDeleted: ['IsDeleted'],
};

/** No org can hide these: where one is missing, something else is wrong. */
const SYSTEM_FIELDS = new Set(['createddate', 'lastmodifieddate', 'systemmodstamp', 'isdeleted']);

const COMMON: readonly FieldName[] = unique(toNames(CONTACT_FIELDS), new Set());
const OPTIONAL: ReadonlySet<string> = new Set(
  COMMON.filter((name) => name !== ID && name !== EMAIL)
    .map((name) => name.toLowerCase())
    .filter((name) => !SYSTEM_FIELDS.has(name)),
);

export interface ContactFields {
  names(want: Want): readonly FieldName[];
  /** Leaves a common field out from now on; false where it cannot be left out, or already is. */
  hide(column: string): boolean;
  /** The mapping that asked for a column. */
  mappingOf(column: string): FieldMapping | undefined;
}
