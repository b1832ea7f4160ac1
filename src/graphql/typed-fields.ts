import { costs } from '@crossbook/executor';
import {
  type DocumentNode,
  extendSchema,
  type FieldDefinitionNode,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type NamedTypeNode,
  type NameNode,
  type ObjectTypeDefinitionNode,
  type StringValueNode,
  type TypeNode,
} from 'graphql';
import type { CustomFieldType } from '../domain/custom-field.ts';
import type { CustomField, CustomFieldsByRecord } from '../domain/custom-fields.ts';
import type { CrmRecord } from '../domain/records/record.ts';

import { RECORD_TYPES, type RecordType } from '../domain/records/record-type.ts';
import { RECORD_NAMES } from './define/global-id.ts';

/** The schema with `custom`, which has a field for each custom field of the record. The same schema if there are none. */
export function withTypedFields(
  schema: GraphQLSchema,
  { customFields = {}, typePrefix = '' }: TypedFields,
): GraphQLSchema {
  if (!hasTypedFields(customFields)) return schema;
  const typed = extendSchema(schema, defineTypedFields(customFields, typePrefix).document, {
    assumeValid: true,
  });
  // An extension loses it.
  typed.description = schema.description;
  resolveTypedFields(typed, typePrefix);
  return typed;
}

export function hasTypedFields(customFields: TypedFieldsByRecord): boolean {
  return Object.keys(customFields).length > 0;
}

/** What of an application's custom fields is typed: nothing where it has not asked for it, or has declared none. */
export function toTypedFields(customFields: CustomFieldsByRecord): TypedFieldsByRecord {
  return Object.fromEntries(
    RECORD_TYPES.flatMap((record) => {
      const { typedSchema, definitions } = customFields[record];
      return typedSchema && definitions.length > 0 ? [[record, definitions]] : [];
    }),
  );
}

/** What a typed schema adds to the common one. It is made as nodes: texts of applications are never parsed as SDL. */
export function defineTypedFields(customFields: TypedFieldsByRecord, typePrefix: string) {
  const typed = RECORD_TYPES.flatMap((record) => {
    const fields = customFields[record];
    return fields ? [defineTyped(`${typePrefix}${RECORD_NAMES[record]}`, fields)] : [];
  });
  const extensions = typed.map(({ extension }) => extension);
  const definitions = typed.map(({ type }) => type);
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [...extensions, ...definitions],
  };
  return { extensions, definitions, document };
}

/** The field `custom` of a type of record, and its type. */
function defineTyped(record: string, customFields: readonly CustomField[]) {
  const type = toType(`${record}${TYPE}`);
  const custom: FieldDefinitionNode = {
    kind: Kind.FIELD_DEFINITION,
    name: toName('custom'),
    description: toText(
      'Custom fields of your application, as declared with `setCustomFieldDefinitions`. Only the selected fields are requested from the CRM.',
    ),
    type: { kind: Kind.NON_NULL_TYPE, type },
  };
  const extension = {
    kind: Kind.OBJECT_TYPE_EXTENSION,
    name: toName(record),
    fields: [custom],
  } as const;
  const fields: ObjectTypeDefinitionNode = {
    kind: Kind.OBJECT_TYPE_DEFINITION,
    name: type.name,
    description: toText(
      'Custom fields of your application. A field is null if the CRM has no value, or one that does not fit its type.',
    ),
    fields: customFields.map(toField),
  };
  return { extension, type: fields };
}

function toField({ name, type, description }: CustomField): FieldDefinitionNode {
  return {
    kind: Kind.FIELD_DEFINITION,
    name: toName(name),
    ...(description !== null && { description: toText(description) }),
    type: TYPES[type],
  };
}

/** Sets what the definitions cannot say: resolvers and costs. */
export function resolveTypedFields(schema: GraphQLSchema, typePrefix: string): void {
  for (const record of RECORD_TYPES) {
    const name = `${typePrefix}${RECORD_NAMES[record]}`;
    const type = schema.getType(`${name}${TYPE}`);
    if (!isObjectType(type)) continue;
    const owner = schema.getType(name);
    const custom = isObjectType(owner) ? owner.getFields()['custom'] : undefined;
    if (custom) custom.resolve = readCustomFields;
    for (const field of Object.values(type.getFields()))
      if (field.astNode) Object.assign(field, costOfTyped(field.astNode));
  }
}

/** A list of choices has several values. */
export function costOfTyped({ type }: FieldDefinitionNode): { readonly extensions: object } {
  return type.kind === Kind.LIST_TYPE ? costs({ items: CHOICES }) : costs({});
}

/** The executor reads the fields of this object as properties. */
function readCustomFields({ customFields }: CrmRecord): object {
  return customFields ?? NOTHING;
}

/** Without a prototype, whose properties would be values. */
const NOTHING: object = Object.freeze(Object.create(null));

/** Ends the name of the type: `ContactCustomFields`. */
const TYPE = 'CustomFields';
/** The usual number of values of a list. */
const CHOICES = 5;

function toName(value: string): NameNode {
  return { kind: Kind.NAME, value };
}

/** A block string is printed as it is, so control characters need the other form, which escapes them. */
function toText(value: string): StringValueNode {
  return { kind: Kind.STRING, value, block: !/\p{Cc}/u.test(value) };
}

function toType(name: string): NamedTypeNode {
  return { kind: Kind.NAMED_TYPE, name: toName(name) };
}

const TEXT = toType('String');
const TYPES: Readonly<Record<CustomFieldType, TypeNode>> = {
  TEXT,
  NUMBER: toType('Float'),
  BOOLEAN: toType('Boolean'),
  DATE: toType('Date'),
  DATETIME: toType('DateTime'),
  CHOICE: TEXT,
  CHOICES: { kind: Kind.LIST_TYPE, type: { kind: Kind.NON_NULL_TYPE, type: TEXT } },
};

/** The custom fields that the schema of an application has as fields, by the types of records that have any. */
export type TypedFieldsByRecord = Readonly<Partial<Record<RecordType, readonly CustomField[]>>>;

export interface TypedFields {
  /** Absent: the common schema. */
  readonly customFields?: TypedFieldsByRecord | undefined;
  readonly typePrefix?: string | undefined;
}
