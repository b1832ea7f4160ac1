import { getDocumentNodeFromSchema } from '@graphql-tools/utils';
import {
  type ConstDirectiveNode,
  type FieldDefinitionNode,
  type GraphQLField,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type NameNode,
  parseConstValue,
  print,
  visit,
} from 'graphql';
import { type CostAmount, readCost } from '../cost.ts';

/**
 * The schema as gateways compose it. Composers do not know @oneOf: the subgraph enforces it all the same. `node` and `nodes`
 * are left out, because no two subgraphs may have them: `relayNode` prints them for the one that owns them.
 */
export function printSubgraph(api: GraphQLSchema, { relayNode = false }: SubgraphOptions = {}): string {
  const document = visit(getDocumentNodeFromSchema(api), {
    Directive: ({ name }) => (name.value === 'oneOf' ? null : undefined),
    DirectiveDefinition: () => null,
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
  return `${LINK}\n\n${print(document)}\n`;
}

/** What the directives can say of a field's cost: a gateway counts less than we do, and ours is the bound. */
function withCost(node: FieldDefinitionNode, field: GraphQLField<unknown, unknown> | undefined) {
  const { weight = 1, items, pageSize } = readCost(field?.extensions ?? {});
  const cost = Math.ceil(withoutArguments(weight));
  const added: ConstDirectiveNode[] = [];
  if (cost > 1) added.push(toDirective('cost', { weight: String(cost) }));
  const slicingArguments = toSlicing(node);
  const isSliced = slicingArguments !== '[]';
  const length = pageSize ?? items;
  if (length !== undefined && (isSliced || typeof length === 'number')) {
    const slicing = isSliced && { slicingArguments, ...(pageSize !== undefined && PAGE), ...OPTIONAL };
    added.push(toDirective('listSize', { ...slicing, assumedSize: String(withoutArguments(length)) }));
  }
  return { ...node, directives: [...(node.directives ?? []), ...added] };
}

/** Some pages are read forward alone: a composer refuses an argument that is not there. */
function toSlicing({ arguments: given = [] }: FieldDefinitionNode): string {
  const names = given.map(({ name }) => name.value).filter((name) => name === 'first' || name === 'last');
  return `[${names.map((name) => JSON.stringify(name)).join(', ')}]`;
}

function withoutArguments(amount: CostAmount): number {
  return typeof amount === 'number' ? amount : amount({});
}

function toDirective(name: string, values: Readonly<Record<string, string>>): ConstDirectiveNode {
  return {
    kind: Kind.DIRECTIVE,
    name: toName(name),
    arguments: Object.entries(values).map(([key, value]) => ({
      kind: Kind.ARGUMENT,
      name: toName(key),
      value: parseConstValue(value),
    })),
  };
}

function toName(value: string): NameNode {
  return { kind: Kind.NAME, value };
}

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@shareable", "@cost", "@listSize", "@tag"])';

/** A page's lists are its fields'. */
const PAGE = { sizedFields: '["edges", "nodes"]' };
/** Its length may be left to us. */
const OPTIONAL = { requireOneSlicingArgument: 'false' };

const RELAY: ReadonlySet<string> = new Set(['node', 'nodes']);

export interface SubgraphOptions {
  /** With `node` and `nodes`. */
  readonly relayNode?: boolean | undefined;
}
