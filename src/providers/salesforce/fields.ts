import type { Connection, FieldMapping } from '../../domain/connection.ts';
import { CONTACT_FIELDS, type ContactField } from '../../domain/contact.ts';
import { type FieldSelection, readSelectedFields } from '../../domain/field-selection.ts';
import { type FieldName, fieldName, isFieldName } from './soql.ts';

export const ID = fieldName('Id');
export const EMAIL = fieldName('Email');
export const IS_DELETED = fieldName('IsDeleted');
export const MASTER_RECORD_ID = fieldName('MasterRecordId');

/** What is selected for one connection: the common fields and, for raw data, those that the connection maps. */
export function createFields(connection: Connection): ContactFields {
  const mappings = readMappings(connection);
  return {
    names(selection, hidden, also) {
      const fields = readSelectedFields(selection);
      if (fields) return unique([...toNames(fields), ...also], hidden);
      const mapped = selection.rawData ? mappings.map(({ mappedField }) => mappedField) : [];
      return unique([...COMMON, ...mapped.filter(isFieldName), ...also], hidden);
    },
    isOptional: (column) => OPTIONAL.has(column),
    hiddenFrom: (visible) => [...OPTIONAL].filter((name) => !visible.has(name)),
    mappingOf: (column) =>
      mappings.find(({ mappedField }) => mappedField.toLowerCase().split('.').includes(column)),
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
  [...COMMON, MASTER_RECORD_ID]
    .filter((name) => name !== ID && name !== EMAIL)
    .map((name) => name.toLowerCase())
    .filter((name) => !SYSTEM_FIELDS.has(name)),
);

export interface ContactFields {
  /** What is selected: all that is wanted, without what is hidden. Hidden names, and those below, are in lower case. */
  names(
    selection: FieldSelection,
    hidden: ReadonlySet<string>,
    also: readonly FieldName[],
  ): readonly FieldName[];
  /** Contacts can be read without it. */
  isOptional(column: string): boolean;
  /** The optional ones that a user does not see. */
  hiddenFrom(visible: ReadonlySet<string>): readonly string[];
  /** The mapping that asked for a column. */
  mappingOf(column: string): FieldMapping | undefined;
}
