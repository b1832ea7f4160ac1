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
  type ScalarTypeDefinitionNode,
  type StringValueNode,
  type TypeNode,
} from 'graphql';
import type { CustomFieldType } from '../domain/custom-field.ts';
import type { CustomField } from '../domain/custom-fields.ts';
import type { Contact } from '../domain/records/contact.ts';

/** The schema with `Contact.custom`, which has a field for each custom field. The same schema if there are none. */
export function withTypedFields(
  schema: GraphQLSchema,
  { customFields = [], typePrefix = '' }: TypedFields,
): GraphQLSchema {
  if (customFields.length === 0) return schema;
  const { document } = defineTypedFields(customFields, typePrefix);
  const typed = extendSchema(schema, document, { assumeValid: true });
  // An extension loses it.
  typed.description = schema.description;
  resolveTypedFields(typed, typePrefix);
  return typed;
}

/** What a typed schema adds to the common one. It is made as nodes: texts of applications are never parsed as SDL. */
export function defineTypedFields(customFields: readonly CustomField[], typePrefix: string) {
  const type = toType(`${typePrefix}${TYPE}`);
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
    name: toName(`${typePrefix}Contact`),
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
  const usesDates = customFields.some((field) => field.type === 'DATE');
  const definitions = usesDates ? [fields, DATE] : [fields];
  const document: DocumentNode = {
    kind: Kind.DOCUMENT,
    definitions: [extension, ...definitions],
  };
  return { extension, definitions, document };
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
  const contact = schema.getType(`${typePrefix}Contact`);
  const custom = isObjectType(contact) ? contact.getFields()['custom'] : undefined;
  if (custom) custom.resolve = readCustomFields;
  const type = schema.getType(`${typePrefix}${TYPE}`);
  for (const field of Object.values(isObjectType(type) ? type.getFields() : {}))
    if (field.astNode) Object.assign(field, costOfTyped(field.astNode));
}

/** A list of choices has several values. */
export function costOfTyped({ type }: FieldDefinitionNode): { readonly extensions: object } {
  return type.kind === Kind.LIST_TYPE ? costs({ items: CHOICES }) : costs({});
}

/** The executor reads the fields of this object as properties. */
function readCustomFields({ customFields }: Contact): object {
  return customFields ?? NOTHING;
}

/** Without a prototype, whose properties would be values. */
const NOTHING: object = Object.freeze(Object.create(null));

const TYPE = 'ContactCustomFields';
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

const DATE: ScalarTypeDefinitionNode = {
  kind: Kind.SCALAR_TYPE_DEFINITION,
  name: toName('Date'),
  description: toText('Date, RFC 3339, e.g. `2025-01-31`.'),
};

export interface TypedFields {
  /** The custom fields of an application whose schema is typed. Absent: the common schema. */
  readonly customFields?: readonly CustomField[] | undefined;
  readonly typePrefix?: string | undefined;
}
