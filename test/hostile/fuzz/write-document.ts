import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
} from 'graphql';
import type { Dice } from '../../support/dice.ts';
import type { Operation } from '../target/send.ts';

/**
 * Writes operations over the schema, its meta fields and its entities: small ones, and ones that multiply by
 * aliases, fragments, type names and lists. The response can be large; the documents themselves stay near
 * `maxCharacters`.
 */
export function createDocumentWriter({
  schema,
  dice,
  texts,
  ids,
  maxCharacters,
}: Options): DocumentWriter {
  const { next, chance, pick } = dice;
  const root = schema.getQueryType() as GraphQLObjectType;
  const meta = [SchemaMetaFieldDef, TypeMetaFieldDef, root.getFields()['_service'] as AnyField];
  let left = 0;
  let fragments: string[] = [];

  return (about) => {
    left = pick([200, 1_000, 4_000, 16_000, maxCharacters]);
    fragments = [];
    const fields = about === 'schema' || chance(30) ? meta : fieldsOf(root);
    const body = braces(() => field(pick(fields), 0));
    const query = [`query Asked${body}`, ...fragments].join(' ');
    if (chance(5)) return { query: spoil(query) };
    return { query, ...(chance(30) && { operationName: chance(95) ? 'Asked' : 'Other' }) };
  };

  function braces(part: () => string): string {
    const width = pick([1, 2, 3, 8]) * (chance(8) ? pick([20, 100]) : 1);
    const parts: string[] = [];
    for (let n = 0; n < width && (n === 0 || left > 0); n++) parts.push(part());
    return `{${parts.join(' ')}}`;
  }

  function selection(type: GraphQLNamedType, depth: number): string {
    const fields = fieldsOf(type);
    return braces(() => {
      if (chance(10)) return fragment(type, depth);
      if (fields.length === 0 || chance(12)) return spend(`t${next(900)}:__typename${condition()}`);
      return field(pick(fields), depth);
    });
  }

  function field({ name, args: declared, type }: AnyField, depth: number): string {
    const inner = getNamedType(type);
    if (isCompositeType(inner) && (depth > 9 || left <= 0)) return '__typename';
    const head = spend(
      `${chance(60) ? `a${next(900)}:` : ''}${name}${args(declared)}${condition()}`,
    );
    return isCompositeType(inner) ? `${head}${selection(inner, depth + 1)}` : head;
  }

  function fragment(type: GraphQLNamedType, depth: number): string {
    const inside = isAbstractType(type) ? pick(schema.getPossibleTypes(type)) : type;
    if (chance(50) || left <= 0)
      return `...on ${inside.name}${left > 0 ? selection(inside, depth + 1) : '{__typename}'}`;
    const name = `F${fragments.length}`;
    // Reserves its index before nested fragments are written.
    const at = fragments.push('') - 1;
    fragments[at] = `fragment ${name} on ${inside.name}${selection(inside, depth + 1)}`;
    return Array.from({ length: pick([1, 1, 2, 30]) }, () => `...${name}`).join(' ');
  }

  function args(declared: readonly GraphQLArgument[]): string {
    const args = declared.filter(({ type }) => isNonNullType(type) || chance(40));
    return args.length > 0
      ? `(${args.map((one) => `${one.name}:${value(one.type)}`).join(',')})`
      : '';
  }

  function value(type: GraphQLInputType): string {
    if (chance(2)) return pick(['null', '7', '"x"', '[]', '{}', 'NAME']);
    if (isNonNullType(type)) return value(type.ofType);
    if (isListType(type)) {
      return spend(
        `[${Array.from({ length: pick([0, 1, 3, 5, 200]) }, () => value(type.ofType)).join(',')}]`,
      );
    }
    if (isEnumType(type)) return pick(type.getValues()).name;
    if (isInputObjectType(type)) {
      const all = Object.values(type.getFields());
      const chosen = type.isOneOf
        ? [pick(all)]
        : all.filter((one) => isNonNullType(one.type) || chance(30));
      return `{${chosen.map((one) => `${one.name}:${value(one.type)}`).join(',')}}`;
    }
    return scalar(type.name);
  }

  function scalar(name: string): string {
    if (name === 'Int') return pick(['0', '1', '5', '100', '1000', '1001', '-1', '99999999999']);
    if (name === 'Boolean') return pick(['true', 'false']);
    if (name === '_Any' && chance(50))
      return `{__typename:"Contact",id:${JSON.stringify(pick(ids))}}`;
    if (name === '_Any') return `{__typename:"Customer",customerId:${JSON.stringify(pick(texts))}}`;
    return JSON.stringify(pick(name === 'ID' && chance(60) ? ids : texts));
  }

  function condition(): string {
    return chance(5) ? pick([' @skip(if:false)', ' @include(if:true)', ' @include(if:false)']) : '';
  }

  function spoil(text: string): string {
    const at = next(text.length);
    const sign = pick(['{', '}', '(', '"', '$', '...', '@', '\u0000', '🦄', '"""', '#']);
    return pick([text.slice(0, at), text.slice(0, at) + sign + text.slice(at), `${text} ${text}`]);
  }

  function spend(text: string): string {
    left -= text.length;
    return text;
  }
}

function fieldsOf(type: GraphQLNamedType): readonly AnyField[] {
  return isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
}

export type DocumentWriter = (about: 'schema' | 'anything') => Operation;

// biome-ignore lint/suspicious/noExplicitAny: the resolver types are not used.
type AnyField = GraphQLField<any, any>;

interface Options {
  readonly schema: GraphQLSchema;
  readonly dice: Dice;
  /** The string values to choose from. */
  readonly texts: readonly string[];
  /** The ids to choose from. */
  readonly ids: readonly string[];
  readonly maxCharacters: number;
}
