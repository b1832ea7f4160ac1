import { digest } from '../lib/digest.ts';
import type { Connection } from './connection.ts';
import {
  type CustomFieldMapping,
  type CustomFieldType,
  customFieldType,
  type MappingProblemKind,
  mappingProblemKind,
  type SourcedField,
} from './custom-field.ts';
import { providerName } from './provider-names.ts';
import { CONTACT_FIELDS } from './records/contact.ts';
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
      'Name of the field in the provider’s API: an internal name in HubSpot, an API name in Salesforce, where it may follow one relationship, e.g. `Account.Industry`.',
      { example: 'favorite_color' },
    ),
  },
);

export const customField = shape(
  'CustomFieldDefinition',
  'A field of contacts that your application has declared.',
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
  'The custom fields of your application.',
  {
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
      'Whether callers of your application get a GraphQL schema with `Contact.custom`, which has a field of its own type for each custom field.',
      { defaultValue: false },
    ),
  },
);
export type CustomFields = Of<typeof customFields>;

export const NO_CUSTOM_FIELDS: CustomFields = { version: 0, definitions: [], typedSchema: false };

export const mappingProblem = shape(
  'MappingProblem',
  'A mapping that cannot be used. The field is null, and contacts are found all the same.',
  {
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
  /** The contact whose value shows it. */
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
    value: field(string, 'The value, as contacts have it.', { example: 'violet' }),
    label: field(string, 'The value, as the CRM shows it.', { example: 'Violet' }),
  },
);

export const providerField = shape('ProviderField', 'A field that contacts have in the CRM.', {
  name: field(string, 'Name in the CRM’s API.', { example: 'favorite_color' }),
  label: field(string, 'Name that users of the CRM see.', { example: 'Favorite color' }),
  type: field(providerFieldType, 'Type of its values.'),
  isCustom: field(boolean, 'Whether the account has added it.'),
  isFilterable: field(boolean, 'Whether the CRM can search by it.'),
  choices: field(
    listOf(providerFieldChoice),
    'Values of its list, at most 500. Contacts may have others that the CRM no longer offers.',
    { items: 5 },
  ),
});
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

/** Names that mean something else in a contact, or in each object of JavaScript. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  ...CONTACT_FIELDS,
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
 * Finds the source of each custom field: the customer's own mapping, else the entity mapping of the contact, else the
 * schema mapping (common objects before standard ones), else the application's source. Memoized, because requests get
 * both from caches.
 */
export function findSources(
  customFields: CustomFields,
  connection: MappedConnection,
): SourcedFields {
  const known = remembered.get(customFields) ?? new WeakMap<MappedConnection, SourcedFields>();
  remembered.set(customFields, known);
  const resolved = known.get(connection) ?? resolve(customFields, connection);
  known.set(connection, resolved);
  return resolved;
}

const remembered = new WeakMap<CustomFields, WeakMap<MappedConnection, SourcedFields>>();

function resolve({ definitions }: CustomFields, connection: MappedConnection): SourcedFields {
  const own = new Map(
    (connection.customFieldMappings ?? []).map((mapping) => [mapping.field, mapping.source]),
  );
  const mapped = readSpecifiedMappings(connection);
  const resolved = definitions.flatMap(({ name, type, sources }) => {
    const source =
      own.get(name) ??
      mapped.sources.get(name) ??
      sources.find((one) => one.provider === connection.providerName)?.field;
    return source === undefined ? [] : [{ name, type, source: source.trim() }];
  });
  const names = new Set(definitions.map(({ name }) => name));
  const unknown = [...own, ...mapped.sources]
    .filter(([name]) => !names.has(name))
    .map(([name, source]) => toProblem(name, source, 'UNKNOWN_FIELD'));
  const [usable, unusable] = [resolved.filter(isUsable), resolved.filter((one) => !isUsable(one))];
  return {
    fields: usable,
    key: digest(JSON.stringify(usable.map(({ name, type, source }) => [name, type, source]))),
    problems: [
      ...unusable.map(({ name, source }) => toProblem(name, source, 'MISSING')),
      ...unknown,
      ...mapped.problems,
    ].slice(0, MAX_PROBLEMS),
  };
}

/** No CRM has a field of another name, so it is not asked for one. */
function isUsable({ source }: SourcedField): boolean {
  return isSource(source);
}

/** The sources by the specification's two kinds of mappings, and what of them is not about contacts. */
function readSpecifiedMappings({ entityMappings, schemaMappingsConfig }: MappedConnection) {
  const { commonObjects, standardObjects } = schemaMappingsConfig ?? {};
  const given = [
    ...(entityMappings ?? []).map(({ object, fieldMappings }) => ({
      isContact: object?.type === 'standard' && isContactObject(object.name),
      fieldMappings,
    })),
    ...[...(commonObjects ?? []), ...(standardObjects ?? [])].map(({ object, fieldMappings }) => ({
      isContact: isContactObject(object),
      fieldMappings,
    })),
  ];
  const sources = new Map<string, string>();
  const problems: FoundProblem[] = [];
  for (const { isContact, fieldMappings } of given) {
    for (const { schemaField, mappedField } of fieldMappings) {
      const [name, source] = [schemaField.trim(), mappedField.trim()];
      if (!isContact) problems.push(toProblem(name, source, 'UNKNOWN_OBJECT'));
      else if (source !== '' && !sources.has(name)) sources.set(name, source);
    }
  }
  return { sources, problems };
}

/** Names of objects are compared without case, spaces and plural. */
export function isContactObject(name: string | null): boolean {
  return name !== null && name.replace(/\s+/g, '').toLowerCase().replace(/s$/, '') === 'contact';
}

/** Texts of the specification's mappings may be long: they are cut, without leaving half of a surrogate pair. */
export function toProblem(name: string, source: string, problem: MappingProblemKind): FoundProblem {
  const cut = (text: string) => text.slice(0, MAX_SOURCE).replace(/\p{Surrogate}/gu, '');
  return { field: cut(name), source: cut(source), problem };
}

/** Whether values of the CRM's field fit the custom field. */
export function fits(type: CustomFieldType, given: ProviderFieldType): boolean {
  return FITTING[type].includes(given);
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
  resolved: readonly SourcedField[],
  known: readonly ProviderField[],
  isBuiltIn: (source: string) => boolean,
): readonly FoundProblem[] {
  const byName = new Map(known.map((one) => [one.name.toLowerCase(), one]));
  return resolved.flatMap(({ name, type, source }) => {
    // The list has the fields of contacts only.
    if (source.includes('.')) return [];
    const found = byName.get(source.toLowerCase());
    if (found) return fits(type, found.type) ? [] : [toProblem(name, source, 'TYPE_MISMATCH')];
    return [toProblem(name, source, isBuiltIn(source) ? 'HIDDEN' : 'MISSING')];
  });
}

export type MappedConnection = Pick<
  Connection,
  'providerName' | 'customFieldMappings' | 'entityMappings' | 'schemaMappingsConfig'
>;

/** The custom fields of ONE application, and the mappings and problems of its connections. */
export interface CustomFieldStore {
  /** Without fields, where none were ever set. */
  read(): Promise<CustomFields>;
  /** Rejects with CONFLICT if the stored version is not the expected one. */
  replace(
    declared: Omit<CustomFields, 'version'>,
    expectedVersion: number | undefined,
  ): Promise<CustomFields>;
  /** Replaces a connection's mappings, and drops what was cached with the old ones. False: no such connection. */
  setMappings(
    target: Pick<Connection, 'customerId' | 'providerName'>,
    mappings: readonly CustomFieldMapping[],
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
