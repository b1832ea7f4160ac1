import {
  type CostAmount,
  costs,
  type FieldCost,
  readCost,
  stringLength,
} from '@crossbook/executor';
import { getDocumentNodeFromSchema, MapperKind, mapSchema, renameType } from '@graphql-tools/utils';
import {
  type ConstDirectiveNode,
  concatAST,
  type DefinitionNode,
  type DocumentNode,
  extendSchema,
  type FieldDefinitionNode,
  type GraphQLFieldResolver,
  GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isUnionType,
  Kind,
  parse,
  print,
  type ScalarTypeDefinitionNode,
  visit,
} from 'graphql';
import type { RequestContext } from '../../request/context.ts';
import { BYTES_PER_UNIT } from '../define/cost.ts';
import { apiSchema } from '../schema.ts';
import {
  costOfTyped,
  defineTypedFields,
  hasTypedFields,
  resolveTypedFields,
  type TypedFields,
  type TypedFieldsByRecord,
} from '../typed-fields.ts';
import { entityTypeOf, referenceCosts, resolveEntities } from './entities.ts';

/** The types of the Apollo Federation 2 protocol, in addition to the API. */
const toProtocol = (prefix: string): DocumentNode =>
  parse(/* GraphQL */ `
    "A reference to an entity: its type name and one of its keys."
    scalar _Any
    "Entities that a gateway can request by reference."
    union _Entity = ${prefix}Contact | ${prefix}Company | ${prefix}Deal | ${prefix}ContactsByEmail | ${prefix}Customer
    "This subgraph, described for gateways."
    type _Service {
      "The schema with its federation directives."
      sdl: String!
    }
    extend type Query {
      "For gateways: the schema with its federation directives."
      _service: _Service!
      "For gateways: the entities of these references, in the same order. Null if your application has no such entity."
      _entities(
        "References, at most 1,000. They are read in batches."
        representations: [_Any!]!
      ): [_Entity]!
    }
  `);

/** Adds the Federation protocol to a schema. Prefixes rename its types and root fields for all clients. */
export function toSubgraph(plain: GraphQLSchema, names: NamePrefixes = {}): GraphQLSchema {
  return createSubgraphs(plain, names)();
}

/** Makes the common subgraph, and with custom fields that of an application. Its SDL is put together for each request. */
export function createSubgraphs(
  plain: GraphQLSchema,
  names: NamePrefixes = {},
): (customFields?: TypedFieldsByRecord) => GraphQLSchema {
  const { typePrefix = '' } = names;
  const api = prefixNames(plain, names);
  const printSdl = createSdlPrinter(api, { typePrefix });
  const protocol = toProtocol(typePrefix);
  return (customFields = {}) => {
    const readService = remember(() => ({ sdl: printSdl(customFields) }));
    const readSdl = () => readService().sdl;
    const isTyped = hasTypedFields(customFields);
    // In one extension, because each copies all types.
    const added = isTyped ? [defineTypedFields(customFields, typePrefix).document] : [];
    const schema = extendSchema(api, concatAST([protocol, ...added]), { assumeValid: isTyped });
    // An extension loses it.
    schema.description = api.description;
    if (isTyped) resolveTypedFields(schema, typePrefix);
    const fields = schema.getQueryType()?.getFields() ?? {};
    resolveWith(fields['_service'], readService);
    const service = schema.getType('_Service');
    if (isObjectType(service))
      Object.assign(service.getFields()['sdl'] ?? {}, costs(toSdlCost(readSdl)));
    resolveWith(fields['_entities'], resolveEntities(typePrefix), referenceCosts);
    const entity = schema.getType('_Entity');
    if (isUnionType(entity)) entity.resolveType = (record) => typePrefix + entityTypeOf(record);
    return schema;
  };
}

/**
 * Printing takes milliseconds, and a request may ask many times: what was made is used again until it is collected as
 * garbage, which is after the piece of work that has made it.
 */
function remember<Made extends object>(make: () => Made): () => Made {
  let kept: WeakRef<Made> | undefined;
  return () => {
    const made = kept?.deref() ?? make();
    kept = new WeakRef(made);
    return made;
  };
}

/** Measured lazily, so that the start does not wait for it. */
function toSdlCost(readSdl: () => string): FieldCost {
  let bytes: number | undefined;
  const readBytes = () => {
    bytes ??= stringLength(readSdl());
    return bytes;
  };
  return {
    weight: () => Math.ceil(readBytes() / BYTES_PER_UNIT),
    get bytes() {
      return readBytes();
    },
  };
}

function resolveWith(
  field: { resolve?: unknown; extensions: object } | undefined,
  resolve: GraphQLFieldResolver<unknown, RequestContext>,
  cost: FieldCost = {},
): void {
  if (field) Object.assign(field, { resolve, ...costs(cost) });
}

/**
 * The SDL for composition. Composers do not know @oneOf; the subgraph enforces it nevertheless. `node` and `nodes`
 * are omitted, because only one subgraph may have them: `relayNode` includes them for that one.
 */
export function printSubgraph(
  api: GraphQLSchema,
  { customFields, ...options }: SubgraphOptions & TypedFields = {},
): string {
  return createSdlPrinter(api, options)(customFields);
}

/** Prints the common types once, and for custom fields only what they change. */
function createSdlPrinter(
  api: GraphQLSchema,
  options: SubgraphOptions & NamePrefixes,
): (customFields?: TypedFieldsByRecord) => string {
  const { typePrefix = '' } = options;
  let known: readonly PrintedDefinition[] | undefined;
  return (customFields = {}) => {
    known ??= toDefinitions(api, options).map((node) => ({ node, text: print(node) }));
    const typed = defineTypedFields(customFields, typePrefix);
    const texts = known.map(({ node, text }) => {
      const extension = typed.extensions.find(({ name }) => isNamed(node, name.value));
      return extension ? print(withFields(node, extension.fields)) : text;
    });
    const added = typed.definitions.map((node) => print(withTypedCosts(node)));
    return `${[LINK, ...texts, ...added].join('\n\n')}\n`;
  };
}

interface PrintedDefinition {
  readonly node: DefinitionNode;
  readonly text: string;
}

function isNamed(node: DefinitionNode, name: string): boolean {
  return node.kind === Kind.OBJECT_TYPE_DEFINITION && node.name.value === name;
}

function withFields(node: DefinitionNode, added: readonly FieldDefinitionNode[]): DefinitionNode {
  if (node.kind !== Kind.OBJECT_TYPE_DEFINITION) return node;
  return { ...node, fields: [...(node.fields ?? []), ...added] };
}

function toDefinitions(
  api: GraphQLSchema,
  { relayNode = false }: SubgraphOptions,
): readonly DefinitionNode[] {
  const document = visit(getDocumentNodeFromSchema(api), {
    Directive: ({ name }) => (name.value === 'oneOf' ? null : undefined),
    DirectiveDefinition: () => null,
    // It is for clients: a gateway has its own headers.
    SchemaDefinition: (node) => ({ ...node, description: undefined }),
    ObjectTypeDefinition: {
      leave(node) {
        const type = api.getType(node.name.value);
        const known = isObjectType(type) ? type.getFields() : {};
        const fields = (node.fields ?? []).filter(
          ({ name }) => relayNode || type !== api.getQueryType() || !RELAY.has(name.value),
        );
        return { ...node, fields: fields.map((field) => withCost(field, known[field.name.value])) };
      },
    },
  });
  return document.definitions;
}

function withTypedCosts(node: DefinitionNode): DefinitionNode {
  if (node.kind !== Kind.OBJECT_TYPE_DEFINITION) return node;
  const { fields = [] } = node;
  return { ...node, fields: fields.map((field) => withCost(field, costOfTyped(field))) };
}

/**
 * Adds Federation's cost directives, which cannot express all of our cost: gateways count less, and our limit
 * applies.
 */
function withCost(node: FieldDefinitionNode, field: { readonly extensions: object } | undefined) {
  const { weight = 1, items, pageSize } = readCost(field?.extensions ?? {});
  const cost = Math.ceil(withoutArguments(weight));
  const added: string[] = [];
  if (cost > 1) added.push(`@cost(weight: ${cost})`);
  const slicing = toSlicing(node);
  const length = pageSize ?? items;
  if (length !== undefined && (slicing !== '' || typeof length === 'number')) {
    const sized = pageSize === undefined ? '' : SIZED_FIELDS;
    const sliced = slicing === '' ? '' : slicing + sized + OPTIONAL;
    added.push(`@listSize(${sliced}assumedSize: ${withoutArguments(length)})`);
  }
  return { ...node, directives: [...(node.directives ?? []), ...parseDirectives(added.join(' '))] };
}

/** Lists only existing arguments, because composers reject unknown ones and some pages have no `last`. */
function toSlicing({ arguments: given = [] }: FieldDefinitionNode): string {
  const names = given
    .map(({ name }) => name.value)
    .filter((name) => name === 'first' || name === 'last');
  return names.length === 0 ? '' : `slicingArguments: ${JSON.stringify(names)}, `;
}

function withoutArguments(amount: CostAmount): number {
  return typeof amount === 'number' ? amount : amount({});
}

function parseDirectives(text: string): readonly ConstDirectiveNode[] {
  const [definition] = parse(`scalar Any ${text}`).definitions;
  return (definition as ScalarTypeDefinitionNode).directives ?? [];
}

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@cost", "@listSize", "@tag"])';

/** The lists of a page are in these fields. */
const SIZED_FIELDS = 'sizedFields: ["edges", "nodes"], ';
/** The page size may be omitted. */
const OPTIONAL = 'requireOneSlicingArgument: false, ';

const RELAY: ReadonlySet<string> = new Set(['node', 'nodes']);

export interface NamePrefixes {
  /** The prefix of type names, except types that subgraphs share. */
  readonly typePrefix?: string | undefined;
  /** The prefix of the fields of `Query` and `Mutation`, except `node` and `nodes`. */
  readonly rootFieldPrefix?: string | undefined;
}

export interface SubgraphOptions {
  /** Includes `node` and `nodes`. */
  readonly relayNode?: boolean | undefined;
}

/** Prefixes the types and root fields that another subgraph may have under the same name. */
export function prefixNames(
  schema: GraphQLSchema,
  { typePrefix = '', rootFieldPrefix = '' }: NamePrefixes,
): GraphQLSchema {
  if (typePrefix === '' && rootFieldPrefix === '') return schema;
  const rename = (type: GraphQLNamedType) =>
    isPrefixed(type) ? renameType(type, typePrefix + type.name) : type;
  const rootFields = readRootFieldNames(schema);
  const prefixText = (text: string | null | undefined) =>
    text?.replaceAll(QUOTED_NAME, (name) => {
      const type = schema.getType(name);
      if (type) return isPrefixed(type) ? typePrefix + name : name;
      return rootFields.has(name) ? rootFieldPrefix + name : name;
    });
  const withNames = <Described extends Texts>(described: Described): Described => ({
    ...described,
    description: prefixText(described.description),
    deprecationReason: prefixText(described.deprecationReason),
  });
  return mapSchema(schema, {
    [MapperKind.TYPE]: (type) =>
      isInterfaceType(type) ? rename(prefixResolved(type, typePrefix)) : rename(type),
    [MapperKind.ROOT_OBJECT]: () => undefined,
    [MapperKind.ROOT_FIELD]: (field, name) => [
      rootFields.has(name) ? rootFieldPrefix + name : name,
      withNames(field),
    ],
    [MapperKind.FIELD]: withNames,
    [MapperKind.ARGUMENT]: withNames,
    [MapperKind.ENUM_VALUE]: withNames,
  });
}

interface Texts {
  description?: string | null | undefined;
  deprecationReason?: string | null | undefined;
}

/** Without Relay's, which keep their names. */
function readRootFieldNames(schema: GraphQLSchema): ReadonlySet<string> {
  const names = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}),
  );
  return new Set(names.filter((name) => !RELAY.has(name)));
}

/** In a description or a reason: the first name of `Contact.custom` or of `upsertCustomer`. */
const QUOTED_NAME = /(?<=`)[A-Za-z]\w*(?=[^`\n]*`)/g;

/** Rewrites an operation for prefixed names, comments included. */
export function prefixOperation(
  operation: string,
  { typePrefix = '', rootFieldPrefix = '' }: NamePrefixes,
): string {
  const added: { readonly at: number; readonly prefix: string }[] = [];
  visit(parse(operation), {
    [Kind.NAMED_TYPE]({ name, loc }) {
      const type = apiSchema.getType(name.value);
      if (loc && type && isPrefixed(type)) added.push({ at: loc.start, prefix: typePrefix });
    },
    [Kind.OPERATION_DEFINITION]({ selectionSet }) {
      for (const selection of selectionSet.selections) {
        if (selection.kind !== Kind.FIELD || RELAY.has(selection.name.value)) continue;
        const { loc } = selection.name;
        if (loc) added.push({ at: loc.start, prefix: rootFieldPrefix });
      }
    },
  });
  return added
    .sort((a, b) => b.at - a.at)
    .reduce((text, { at, prefix }) => text.slice(0, at) + prefix + text.slice(at), operation);
}

/** Records resolve to type names without the prefix. */
function prefixResolved(type: GraphQLInterfaceType, prefix: string): GraphQLInterfaceType {
  const { resolveType, ...config } = type.toConfig();
  if (!resolveType) return type;
  const typeNameOf = resolveType as (record: unknown) => string;
  return new GraphQLInterfaceType({
    ...config,
    resolveType: (record: unknown) => prefix + typeNameOf(record),
  });
}

/** Types of Relay and of the specification, and scalars, mean the same in every subgraph and are not prefixed. */
function isPrefixed(type: GraphQLNamedType): boolean {
  return !isScalarType(type) && !SHARED.has(type.name) && !type.name.startsWith('__');
}

const SHARED: ReadonlySet<string> = new Set(['Query', 'Mutation', 'Node', 'PageInfo']);
