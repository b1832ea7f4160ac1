import type { Connection, FieldMapping } from '../../domain/connection.ts';
import type { Want } from '../../domain/provider.ts';
import { type FieldName, fieldName, isFieldName } from './soql.ts';

export const ID = fieldName('Id');
export const EMAIL = fieldName('Email');

/** What is selected for one connection: the common fields and, for raw data, those that the connection maps. */
export function createFields(connection: Connection): ContactFields {
  const mappings = readMappings(connection);
  const hidden = new Set<string>();
  return {
    names({ rawData }) {
      const mapped = rawData ? mappings.map(({ mappedField }) => mappedField) : [];
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
    .filter(({ object }) => object.toLowerCase() === 'contact')
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

/** The addresses are compounds: one field each instead of five keeps the query short. */
const OPTIONAL_FIELDS = [
  'AccountId',
  'OwnerId',
  'FirstName',
  'LastName',
  'Phone',
  'MobilePhone',
  'Fax',
  'HomePhone',
  'OtherPhone',
  'AssistantPhone',
  'MailingAddress',
  'OtherAddress',
  'LastActivityDate',
];
const SYSTEM_FIELDS = ['CreatedDate', 'LastModifiedDate', 'SystemModstamp', 'IsDeleted'];

const COMMON: readonly FieldName[] = [ID, EMAIL, ...[...OPTIONAL_FIELDS, ...SYSTEM_FIELDS].map(fieldName)];
const OPTIONAL: ReadonlySet<string> = new Set(OPTIONAL_FIELDS.map((name) => name.toLowerCase()));

export interface ContactFields {
  names(want: Want): readonly FieldName[];
  /** Leaves a common field out from now on; false where it cannot be left out, or already is. */
  hide(column: string): boolean;
  /** The mapping that asked for a column. */
  mappingOf(column: string): FieldMapping | undefined;
}
