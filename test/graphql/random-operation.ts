import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { createGivenDice } from '../support/dice.ts';

/**
 * Writes an operation over the schema: mostly valid, often slightly invalid. The same numbers (each from 0 to 999)
 * write the same operation.
 */
export function writeRandomOperation(schema: GraphQLSchema, numbers: readonly number[]): string {
  const { next, chance, pick } = createGivenDice(numbers);
  const root = chance(20) ? schema.getMutationType() : schema.getQueryType();
  const text = `${root === schema.getMutationType() ? 'mutation' : 'query'} ${selections(root ?? undefined, 0)}`;
  return chance(15) ? spoil(text) : text;

  function selections(type: GraphQLNamedType | undefined, depth: number): string {
    const parts = ['__typename'];
    if (isAbstractType(type) && depth < 6) {
      const member = pick(schema.getPossibleTypes(type));
      parts.push(`... on ${member.name} ${selections(member, depth + 1)}`);
    }
    const fields =
      isObjectType(type) || isInterfaceType(type) ? Object.values(type.getFields()) : [];
    for (let count = next(4); count >= 0 && fields.length > 0; count -= 1) {
      const field = pick(fields);
      const inner = getNamedType(field.type);
      const composite = isObjectType(inner) || isAbstractType(inner);
      if (composite && depth > 6) continue;
      const alias = chance(40) ? `a${next(50)}: ` : '';
      const name = chance(2) ? 'unknown' : field.name;
      const directive = chance(5) ? pick([' @skip(if: true)', ' @include(if: $x)', ' @defer']) : '';
      const below = composite !== chance(2) ? selections(inner, depth + 1) : '';
      parts.push(`${alias}${name}${args(field.args)}${directive} ${below}`);
    }
    return `{ ${parts.join(' ')} }`;
  }

  function args(declared: readonly GraphQLArgument[]): string {
    const args = declared
      .filter(({ type }) => chance(isNonNullType(type) ? 96 : 40))
      .map((arg) => `${arg.name}: ${value(arg.type, 0)}`);
    return args.length > 0 ? `(${args.join(', ')})` : '';
  }

  function value(type: GraphQLInputType, depth: number): string {
    if (chance(3))
      return pick([
        'null',
        '$v',
        '7',
        '"text"',
        '[]',
        '{}',
        'NAME',
        '{ a: [1, { b: null }] }',
        '-1e9',
      ]);
    if (isNonNullType(type)) return value(type.ofType, depth);
    if (isListType(type))
      return `[${Array.from({ length: next(4) }, () => value(type.ofType, depth)).join(', ')}]`;
    if (isEnumType(type)) return pick(type.getValues()).name;
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields());
      const chosen = type.isOneOf
        ? [pick(fields)]
        : fields.filter((field) => chance(isNonNullType(field.type) ? 97 : depth > 3 ? 5 : 40));
      return `{ ${chosen.map((field) => `${field.name}: ${value(field.type, depth + 1)}`).join(', ')} }`;
    }
    return scalar(type.name);
  }

  function scalar(name: string): string {
    if (name === 'Int') return pick(['0', '1', '2', '100', '1000', '1001', '-1', '99999999999']);
    if (name === 'Boolean') return pick(['true', 'false']);
    if (name === 'DateTime') return pick(['"2025-01-31T09:30:00Z"', '"yesterday"']);
    return JSON.stringify(
      pick([
        'demo',
        'ada@example.com',
        'example.com',
        'Person2@example.com',
        '',
        'x\u0000y',
        'ß@ü.example',
        "'; --",
      ]),
    );
  }

  function spoil(text: string): string {
    const at = next(text.length);
    return pick([
      text.slice(0, at),
      text.slice(0, at) +
        pick(['{', '}', '(', '"', '$', '...', '@', '\u0000', '🦄']) +
        text.slice(at),
      text.slice(0, at) + text.slice(at + 1 + next(5)),
      `query A ${text} query B { __typename }`,
    ]);
  }
}
