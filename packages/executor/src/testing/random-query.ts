import {
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isObjectType,
  OperationTypeNode,
} from 'graphql';
import { createDice } from './dice.ts';
import { createInputWriter } from './random-inputs.ts';

/**
 * Writes a query or mutation that is mostly valid: aliases, duplicate fields, fragments of all kinds, directives
 * with and without variables, arguments from variables.
 */
export function writeRandomQuery(schema: GraphQLSchema, options: QueryOptions): RandomQuery {
  const { seed, texts = ['a'], operation = OperationTypeNode.QUERY } = options;
  const dice = createDice(seed);
  const { next, chance, pick } = dice;
  const inputs = createInputWriter(dice, { texts, oddity: 2 });
  const fragments: string[] = [];
  const used = new Set<keyof typeof FLAGS>();
  const values: Record<string, unknown> = { no: chance(30) };
  if (chance(40)) values['yes'] = chance(50);
  if (chance(5)) values['odd'] = pick([null, true, false]);
  const body = selections(schema.getRootType(operation) as GraphQLObjectType, 0);
  const flags = [...used].map((name) => `$${name}: ${FLAGS[name]}`);
  const variables = [...flags, ...inputs.definitions.values()];
  const head =
    variables.length > 0
      ? `${operation} Asked(${variables.join(', ')})`
      : chance(50) || operation !== 'query'
        ? `${operation} Asked`
        : '';
  return {
    text: [`${head} ${body}`, ...fragments].join('\n'),
    variables: { ...values, ...inputs.values },
  };

  function selections(type: GraphQLNamedType, depth: number): string {
    const parts: string[] =
      chance(25) || depth > 5 ? [`${alias('__typename')}__typename${condition()}`] : [];
    for (let count = 1 + next(depth === 0 ? 3 : 4); count > 0; count -= 1)
      parts.push(part(type, depth));
    return `{ ${parts.join(' ')} }`;
  }

  function part(type: GraphQLNamedType, depth: number): string {
    if (depth < 5 && chance(isAbstractType(type) ? 70 : 12)) return fragment(type, depth);
    return isObjectType(type) || isInterfaceType(type) ? field(type, depth) : '__typename';
  }

  function fragment(type: GraphQLNamedType, depth: number): string {
    const inside = isAbstractType(type)
      ? pick([type, ...schema.getPossibleTypes(type)])
      : isObjectType(type)
        ? pick([type, ...type.getInterfaces()])
        : type;
    const selected = selections(inside, depth + 1);
    // Without a type condition, a fragment has the type of its parent.
    const about = inside === type && chance(40) ? '' : ` on ${inside.name}`;
    if (chance(50)) return `...${about}${condition()} ${selected}`;
    const name = `F${fragments.length}`;
    fragments.push(`fragment ${name} on ${inside.name} ${selected}`);
    return `...${name}${condition()}${chance(10) ? ` ...${name}` : ''}`;
  }

  function field(type: { getFields(): Record<string, FieldLike> }, depth: number): string {
    const all = Object.values(type.getFields());
    const fields = all.filter(({ type: of }) => depth < 5 || !hasFields(getNamedType(of)));
    if (fields.length === 0) return '__typename';
    const chosen = pick(fields);
    const inner = getNamedType(chosen.type);
    const args = inputs.args(chosen.args);
    const below = () => (hasFields(inner) ? selections(inner, depth + 1) : '');
    const key = chance(30) || args ? alias(chosen.name) : '';
    const text = () => `${key}${chosen.name}${args}${condition()} ${below()}`;
    return chance(8) ? `${text()} ${text()}` : text();
  }

  function alias(name: string): string {
    return chance(50) ? `${name}${next(40)}: ` : `x${next(400)}: `;
  }

  function condition(): string {
    if (!chance(14)) return '';
    const flagged = pick([flag, flag, () => 'true', () => 'false'])();
    return ` @${pick(['skip', 'include'])}(if: ${flagged})`;
  }

  function flag(): string {
    const name = pick(['yes', 'no', 'yes', 'no', 'odd'] as const);
    used.add(name);
    return `$${name}`;
  }
}

function hasFields(type: GraphQLNamedType): boolean {
  return isObjectType(type) || isAbstractType(type);
}

/** The variables of @skip and @include. */
const FLAGS = { yes: 'Boolean! = true', no: 'Boolean!', odd: 'Boolean = true' } as const;

interface FieldLike {
  readonly name: string;
  readonly type: Parameters<typeof getNamedType>[0] & object;
  readonly args: readonly GraphQLArgument[];
}

interface QueryOptions {
  readonly seed: number;
  /** The strings and ids to choose from. */
  readonly texts?: readonly string[];
  readonly operation?: OperationTypeNode;
}

export interface RandomQuery {
  readonly text: string;
  readonly variables: Record<string, unknown>;
}
