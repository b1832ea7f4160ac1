import { digest } from '../lib/digest.ts';
import { withNotes } from '../provider-texts.ts';
import type { Connection, FieldMapping } from './connection.ts';
import {
  type CustomFieldType,
  customFieldType,
  type GivenFieldMapping,
  type MappingProblemKind,
  mappingProblemKind,
  type SourcedField,
} from './custom-field.ts';
import { providerName } from './provider-names.ts';
import { RECORDS } from './records/catalogue.ts';
import { mapRecords, RECORD_TYPES, type RecordType, recordType } from './records/record-type.ts';
import {
  boolean,
  date,
  field,
  int,
  listOf,
  nullable,
  type Of,
  shape,
  string,
  words,
} from './shape.ts';

export const customFieldSource = shape(
  'CustomFieldSource',
  'The field of one provider that a custom field is read from.',
  {
    provider: field(providerName, 'The provider.', { restName: 'provider_name' }),
    field: field(
      string,
      withNotes('Name of the field in the provider’s API.', 'customFieldSource.field'),
      { example: 'favorite_color' },
    ),
  },
);

export const customField = shape(
  'CustomFieldDefinition',
  'A field of CRM records that your application has declared.',
  {
    name: field(string, 'Name of the field, in camelCase, at most 64 characters.', {
      example: 'favoriteColor',
    }),
    type: field(customFieldType, 'Type of its values.'),
    description: nullable(string, 'Description, at most 500 characters.', {
      example: 'The person’s favorite color.',
    }),
    sources: field(
      listOf(customFieldSource),
      'Fields that it is read from unless the customer has a mapping, at most one for each provider.',
      { items: 2, emptyInGraphQL: true },
    ),
    customersMayMap: field(
      boolean,
      'Whether customers may choose another field of their CRM themselves.',
      { defaultValue: true },
    ),
  },
);
export type CustomField = Of<typeof customField>;

export const customFields = shape(
  'CustomFieldDefinitions',
  'The custom fields of your application that records of one type have.',
  {
    record: field(recordType, 'Type of the records.', { graphqlOnly: true }),
    version: field(
      int,
      'Version, which increases by one with every change. 0: no fields were ever set. Pass it as `expectedVersion` for optimistic locking.',
    ),
    definitions: field(
      listOf(customField),
      'The definitions, in the order in which they were set.',
      {
        items: 10,
      },
    ),
    typedSchema: field(
      boolean,
      'Whether callers of your application get a GraphQL schema in which records of this type have a field `custom`, such as `Contact.custom`, with a field of its own type for each custom field.',
      { defaultValue: false },
    ),
  },
);
export type CustomFields = Of<typeof customFields>;

/** All custom fields of an application. */
export type CustomFieldsByRecord = Readonly<Record<RecordType, CustomFields>>;

export const NO_CUSTOM_FIELDS: CustomFieldsByRecord = mapRecords((record) => ({
  record,
  version: 0,
  definitions: [],
  typedSchema: false,
}));

export const mappingProblem = shape(
  'MappingProblem',
  'A mapping that cannot be used. The field is null, and records are found all the same.',
  {
    record: nullable(
      recordType,
      'Type of the records that have the custom field. Null: the mapping is of an object that no type of record is read from.',
    ),
    field: field(string, 'Name of the custom field, or the name that the mapping has for it.', {
      example: 'favoriteColor',
    }),
    source: field(string, 'Name of the field at the provider.', { example: 'Favourite_Color__c' }),
    problem: field(mappingProblemKind, 'What is wrong.'),
    since: field(date, 'Time at which the problem was first seen.'),
  },
);
export type MappingProblem = Of<typeof mappingProblem>;
export interface FoundProblem extends Omit<MappingProblem, 'since'> {
  /** The record whose value shows it. */
  readonly remoteId?: string | undefined;
}

/** A problem as it was last seen. */
export interface StoredProblem extends MappingProblem {
  readonly remoteId: string | null;
  readonly seenAt: Date;
}

const providerFieldType = words('ProviderFieldType', 'Type of a field in a CRM.', {
  TEXT: 'A string.',
  NUMBER: 'A number.',
  BOOLEAN: 'True or false.',
  DATE: 'A date.',
  DATETIME: 'A time.',
  CHOICE: 'One value of a list.',
  CHOICES: 'Several values of a list.',
  REFERENCE: 'The id of another record.',
  OTHER: 'A type that no custom field can be read from, such as a location.',
});
export type ProviderFieldType = Of<typeof providerFieldType>;

export const providerFieldChoice = shape(
  'ProviderFieldChoice',
  'A value of a field that has a list of them.',
  {
    value: field(string, 'The value, as records have it.', { example: 'violet' }),
    label: field(string, 'The value, as the CRM shows it.', { example: 'Violet' }),
  },
);

export const providerField = shape(
  'ProviderField',
  'A field that records of one type have in the CRM.',
  {
    name: field(string, 'Name in the CRM’s API.', { example: 'favorite_color' }),
    label: field(string, 'Name that users of the CRM see.', { example: 'Favorite color' }),
    type: field(providerFieldType, 'Type of its values.'),
    isCustom: field(boolean, 'Whether the account has added it.'),
    isFilterable: field(boolean, 'Whether the CRM can search by it.'),
    choices: field(
      listOf(providerFieldChoice),
      'Values of its list, at most 500. Records may have others that the CRM no longer offers.',
      { items: 5 },
    ),
  },
);
export type ProviderField = Of<typeof providerField>;

export const MAX_CUSTOM_FIELDS = 200;
export const MAX_PROVIDER_FIELDS = 2_000;
export const MAX_CHOICES = 500;
export const MAX_FIELD_NAME = 64;
export const MAX_FIELD_DESCRIPTION = 500;
export const MAX_SOURCE = 255;
/** Problems of one connection. */
export const MAX_PROBLEMS = 200;

/** Whether it is a camelCase name that is also one in GraphQL. */
export function isCustomFieldName(name: string): boolean {
  return name.length <= MAX_FIELD_NAME && /^[a-z][A-Za-z0-9]*$/.test(name);
}

/** Whether the name means something else in a record of this type, or in each object of JavaScript. */
export function isReservedName(record: RecordType, name: string): boolean {
  return RECORDS[record].fields.includes(name) || RESERVED_NAMES.has(name);
}

const RESERVED_NAMES: ReadonlySet<string> = new Set([
  'id',
  'remoteId',
  'customerId',
  'provider',
  'rawData',
  'associations',
  'custom',
  'customFields',
  'prototype',
  ...Object.getOwnPropertyNames(Object.prototype),
]);

/**
 * Whether a mapping of an object is one of this type of record: by its name here or, where that differs, by the CRM's.
 * Names are compared without case, spaces and plural.
 */
export function isObjectOf(record: RecordType, objectName: string | undefined, mapped: string) {
  const { noun } = RECORDS[record];
  return [noun, objectName ?? noun].some((one) => toSingular(one) === toSingular(mapped));
}

function toSingular(name: string): string {
  return name.replace(/\s+/g, '').toLowerCase().replace(/ies$/, 'y').replace(/s$/, '');
}

/** Whether a field of a CRM can have this name: with one dot where it belongs to a related record. */
export function isSource(source: string): boolean {
  return source.length <= MAX_SOURCE && SOURCE.test(source);
}

const SOURCE = /^[A-Za-z][A-Za-z0-9_]*(?:\.[A-Za-z][A-Za-z0-9_]*)?$/;

/** The resolved custom fields of one connection: those without a source are absent. */
interface SourcedFields {
  readonly fields: readonly SourcedField[];
  /** Equal for connections and declarations whose fields have the same sources. */
  readonly key: string;
  /** Mappings that cannot count, whatever the CRM has. */
  readonly problems: readonly FoundProblem[];
}

/**
 * Finds the source of each custom field of a type of record: the customer's own mapping, else the entity mapping of the
 * object, else its schema mapping (common objects before standard ones), else the application's source. The object has
 * the name of the type or, where that differs, the CRM's. Memoized, because requests get both from caches.
 */
export function findSources(
  customFields: CustomFields,
  connection: MappedConnection,
  objectName?: string,
): SourcedFields {
  const known = remembered.get(customFields) ?? new WeakMap<MappedConnection, SourcedFields>();
  remembered.set(customFields, known);
  const resolved = known.get(connection) ?? resolve(customFields, connection, objectName);
  known.set(connection, resolved);
  return resolved;
}

const remembered = new WeakMap<CustomFields, WeakMap<MappedConnection, SourcedFields>>();

function resolve(
  { record, definitions }: CustomFields,
  connection: MappedConnection,
  objectName: string | undefined,
): SourcedFields {
  const own = new Map(
    (connection.customFieldMappings ?? [])
      .filter((mapping) => mapping.record === record)
      .map((mapping) => [mapping.field, mapping.source]),
  );
  const mapped = readSpecifiedSources(connection, (object) =>
    isObjectOf(record, objectName, object),
  );
  const resolved = definitions.flatMap(({ name, type, sources }) => {
    const source =
      own.get(name) ??
      mapped.get(name) ??
      sources.find((one) => one.provider === connection.providerName)?.field;
    return source === undefined ? [] : [{ name, type, source: source.trim() }];
  });
  const names = new Set(definitions.map(({ name }) => name));
  const unknown = [...own, ...mapped]
    .filter(([name]) => !names.has(name))
    .map(([name, source]) => toProblem(record, { name, source }, 'UNKNOWN_FIELD'));
  const [usable, unusable] = [resolved.filter(isUsable), resolved.filter((one) => !isUsable(one))];
  return {
    fields: usable,
    key: digest(JSON.stringify(usable.map(({ name, type, source }) => [name, type, source]))),
    problems: [...unusable.map((field) => toProblem(record, field, 'MISSING')), ...unknown].slice(
      0,
      MAX_PROBLEMS,
    ),
  };
}

/** No CRM has a field of another name, so it is not asked for one. */
function isUsable({ source }: SourcedField): boolean {
  return isSource(source);
}

/** The sources by the specification's two kinds of mappings, of the objects that are wanted. */
function readSpecifiedSources(
  connection: MappedConnection,
  isObject: (object: string) => boolean,
): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  for (const { object, fieldMappings } of listSpecifiedMappings(connection)) {
    if (object === null || !isObject(object)) continue;
    for (const [name, source] of fieldMappings.map(toNameAndSource))
      if (source !== '' && !sources.has(name)) sources.set(name, source);
  }
  return sources;
}

/** The specification's mappings of objects that no type of record is read from, and of custom objects. */
export function findUnknownObjects(
  connection: MappedConnection,
  objectNames: ObjectNames,
): readonly FoundProblem[] {
  const isKnown = (object: string) =>
    RECORD_TYPES.some((record) => isObjectOf(record, objectNames[record], object));
  return listSpecifiedMappings(connection)
    .filter(({ object }) => object === null || !isKnown(object))
    .flatMap(({ fieldMappings }) => fieldMappings.map(toNameAndSource))
    .map(([name, source]) => toProblem(null, { name, source }, 'UNKNOWN_OBJECT'))
    .slice(0, MAX_PROBLEMS);
}

/** In the order of precedence. An object without a name here is a custom one, or has none. */
function listSpecifiedMappings({
  entityMappings,
  schemaMappingsConfig,
}: MappedConnection): readonly SpecifiedMappings[] {
  const { commonObjects, standardObjects } = schemaMappingsConfig ?? {};
  return [
    ...(entityMappings ?? []).map(({ object, fieldMappings }) => ({
      object: object?.type === 'standard' ? object.name : null,
      fieldMappings,
    })),
    ...(commonObjects ?? []),
    ...(standardObjects ?? []),
  ];
}

function toNameAndSource({ schemaField, mappedField }: FieldMapping): [string, string] {
  return [schemaField.trim(), mappedField.trim()];
}

interface SpecifiedMappings {
  readonly object: string | null;
  readonly fieldMappings: readonly FieldMapping[];
}

/** The CRM's names of the objects that types of records are read from, where they have others than the types. */
export type ObjectNames = Readonly<Partial<Record<RecordType, string | undefined>>>;

/** Texts of the specification's mappings may be long: they are cut, without leaving half of a surrogate pair. */
export function toProblem(
  record: RecordType | null,
  { name, source }: Pick<SourcedField, 'name' | 'source'>,
  problem: MappingProblemKind,
): FoundProblem {
  const cut = (text: string) => text.slice(0, MAX_SOURCE).replace(/\p{Surrogate}/gu, '');
  return { record, field: cut(name), source: cut(source), problem };
}

/** Whether values of the CRM's field fit the custom field. */
export function fits(type: CustomFieldType, providerType: ProviderFieldType): boolean {
  return FITTING[type].includes(providerType);
}

const FITTING: Readonly<Record<CustomFieldType, readonly ProviderFieldType[]>> = {
  TEXT: ['TEXT', 'NUMBER', 'BOOLEAN', 'DATE', 'DATETIME', 'CHOICE', 'CHOICES', 'REFERENCE'],
  NUMBER: ['NUMBER'],
  BOOLEAN: ['BOOLEAN'],
  DATE: ['DATE', 'DATETIME'],
  DATETIME: ['DATETIME', 'DATE'],
  CHOICE: ['CHOICE', 'TEXT', 'BOOLEAN', 'REFERENCE'],
  CHOICES: ['CHOICES', 'CHOICE', 'TEXT'],
};

/** Finds the resolved fields that the CRM does not have, or has with another type. */
export function findFieldProblems(
  record: RecordType,
  { resolved, known }: { resolved: readonly SourcedField[]; known: readonly ProviderField[] },
  isBuiltIn: (source: string) => boolean,
): readonly FoundProblem[] {
  const byName = new Map(known.map((one) => [one.name.toLowerCase(), one]));
  return resolved.flatMap((field) => {
    // The list has the fields of the record itself only.
    if (field.source.includes('.')) return [];
    const found = byName.get(field.source.toLowerCase());
    if (found)
      return fits(field.type, found.type) ? [] : [toProblem(record, field, 'TYPE_MISMATCH')];
    return [toProblem(record, field, isBuiltIn(field.source) ? 'HIDDEN' : 'MISSING')];
  });
}

/** Those of the types of records of which customers may map custom fields. */
export function listMappable(
  customFields: CustomFieldsByRecord,
  records: readonly RecordType[],
): readonly RecordType[] {
  return records.filter((record) =>
    customFields[record].definitions.some(({ customersMayMap }) => customersMayMap),
  );
}

export type MappedConnection = Pick<
  Connection,
  'providerName' | 'customFieldMappings' | 'entityMappings' | 'schemaMappingsConfig'
>;

/** The custom fields of ONE application, and the mappings and problems of its connections. */
export interface CustomFieldStore {
  /** Without fields, where none were ever set. */
  read(): Promise<CustomFieldsByRecord>;
  /** Replaces those of one type of record. Rejects with CONFLICT if the stored version is not the expected one. */
  replace(
    declared: Omit<CustomFields, 'version'>,
    expectedVersion: number | undefined,
  ): Promise<CustomFields>;
  /**
   * Replaces a connection's mappings of one type of record, and drops what was cached with the old ones. False: no such
   * connection.
   */
  setMappings(
    target: Pick<Connection, 'customerId' | 'providerName'>,
    record: RecordType,
    mappings: readonly GivenFieldMapping[],
  ): Promise<boolean>;
  /** The problems of a connection that were seen within two days. */
  listProblems(connectionId: string): Promise<readonly StoredProblem[]>;
  /** Stores problems as seen now, and appends an event for each that had none within a day. */
  noteProblems(
    connection: Pick<Connection, 'id' | 'customerId'>,
    problems: readonly FoundProblem[],
  ): Promise<readonly MappingProblem[]>;
  /** Ends problems, unless they were seen again since they were listed. */
  endProblems(connectionId: string, problems: readonly StoredProblem[]): Promise<void>;
}
