import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { Dice } from './dice.ts';

/** Writes arguments and variables of every kind, with a percentage of invalid ones. */
export function createInputWriter(dice: Dice, { texts, oddity }: InputOptions): InputWriter {
  const { next, chance, pick } = dice;
  const definitions = new Map<string, string>();
  const values: Record<string, unknown> = {};
  return { args, definitions, values };

  function args(all: readonly GraphQLArgument[]): string {
    const chosen = all
      .filter((arg) => chance(isRequired(arg) ? 100 - oddity : 45))
      .map((arg) => `${arg.name}: ${chance(25) ? variable(arg.type) : literal(arg.type, NESTED)}`);
    return chosen.length > 0 ? `(${chosen.join(', ')})` : '';
  }

  /** Declared with the type of its use, or with a slightly different one. */
  function variable(type: GraphQLInputType): string {
    const name = chance(oddity)
      ? pick(['__proto__', 'constructor', 'v0', 'v1'])
      : `v${definitions.size}`;
    if (definitions.has(name) || chance(oddity / 4)) return `$${name}`;
    const declared = chance(oddity) ? pick(['Int', '[ID]!', 'Query', 'Nowhere']) : vary(type);
    const byDefault = chance(25) ? ` = ${literal(type, { ...NESTED, isConstant: true })}` : '';
    definitions.set(name, `$${name}: ${declared}${byDefault}`);
    if (chance(declared.endsWith('!') && !byDefault ? 100 - oddity : 75)) {
      const value = chance(oddity) ? null : json(type, 0);
      Object.defineProperty(values, name, { value, enumerable: true });
    }
    return `$${name}`;
  }

  function vary(type: GraphQLInputType): string {
    if (!chance(20)) return String(type);
    return isNonNullType(type) ? String(type.ofType) : `${type}!`;
  }

  function literal(type: GraphQLInputType, { depth, isConstant }: Nesting): string {
    if (!isConstant && depth > 0 && chance(12)) return variable(type);
    if (chance(oddity))
      return pick(isConstant ? WRONG_LITERALS : [...WRONG_LITERALS, '{ x: { y: $v0 } }']);
    const present = isNonNullType(type) ? type.ofType : type;
    if (present === type && chance(5)) return 'null';
    const inside = { depth: depth + 1, isConstant };
    if (isListType(present)) {
      if (chance(15)) return literal(present.ofType, inside);
      return `[${Array.from({ length: next(4) }, () => literal(present.ofType, inside)).join(', ')}]`;
    }
    if (isEnumType(present)) return pick(present.getValues()).name;
    if (isInputObjectType(present)) {
      const members = choose(present, depth).map(
        (one) => `${one.name}: ${literal(one.type, inside)}`,
      );
      return `{ ${members.join(', ')} }`;
    }
    if ((present.name === 'Anything' || present.name === 'Printed') && !isConstant && chance(20))
      return `{ deep: [1, { it: ${variable(type)} }] }`;
    return LITERALS.has(present.name)
      ? pick(LITERALS.get(present.name) ?? [])
      : JSON.stringify(pick(texts));
  }

  function json(type: GraphQLInputType, depth: number): unknown {
    if (chance(oddity)) return pick(WRONG_VALUES);
    const present = isNonNullType(type) ? type.ofType : type;
    if (present === type && chance(5)) return pick([null, undefined]);
    if (isListType(present)) {
      if (chance(15)) return json(present.ofType, depth + 1);
      return Array.from({ length: next(4) }, () => json(present.ofType, depth + 1));
    }
    if (isEnumType(present)) return pick(present.getValues()).name;
    if (isInputObjectType(present)) {
      return Object.fromEntries(
        choose(present, depth).map((one) => [one.name, json(one.type, depth + 1)]),
      );
    }
    return VALUES.has(present.name) ? pick(VALUES.get(present.name) ?? []) : pick(texts);
  }

  /** In any order. */
  function choose(type: Fields, depth: number): readonly GraphQLInputField[] {
    const fields = Object.values(type.getFields());
    if (type.isOneOf) return chance(oddity) ? fields.slice(0, next(3)) : [pick(fields)];
    const chosen = fields.filter((one) =>
      chance(isRequired(one) ? 100 - oddity : depth > 3 ? 5 : 45),
    );
    return chance(30) ? chosen.reverse() : chosen;
  }
}

function isRequired({ type, defaultValue }: GraphQLArgument | GraphQLInputField): boolean {
  return isNonNullType(type) && defaultValue === undefined;
}

const NESTED: Nesting = { depth: 0, isConstant: false };

const LITERALS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Int', ['0', '-0', '1', '3', '100', '-1', '2147483647', '2147483648']],
  ['Float', ['0.5', '-0', '7', '1e3', '123456789012345678901234567890']],
  ['Boolean', ['true', 'false']],
  ['ID', ['"id"', '7', '-0', '99999999999999999999']],
  ['Anything', ['7', '"text"', 'NAME', '[1, "x", [null]]', '{ a: { b: null }, c: 1.5 }']],
  ['Printed', ['7', '"text"', '[1, "x", [null]]', '{ a: { b: null }, c: 1.5 }']],
  ['Strict', ['"fine"', '"fine"', '"date"', '"nothing"', '"refused"', '"broken"']],
]);

const VALUES: ReadonlyMap<string, readonly unknown[]> = new Map<string, readonly unknown[]>([
  ['Int', [0, -0, 1, 3, 100, -1, 2 ** 31 - 1]],
  ['Float', [0.5, -0, 7, 1e300, -1.5e-7]],
  ['Boolean', [true, false]],
  ['ID', ['id', 7, -0, 1e21]],
  ['Anything', [7, 'text', [1, [null]], { a: { b: null } }]],
  ['Printed', [7, 'text', [1, [null]], { a: { b: null } }]],
  ['Strict', ['fine', 'fine', 'fine', 'date', 'nothing', 'refused', 'broken']],
]);

const WRONG_LITERALS = [
  'null',
  '7',
  '-1.5',
  '"text"',
  'NAME',
  '[]',
  '{}',
  '[null, 1]',
  '{ x: 1, y: { z: 2 } }',
];

const WRONG_VALUES: readonly unknown[] = [
  null,
  undefined,
  7,
  -1.5,
  2 ** 31,
  Number.NaN,
  'text',
  'constructor',
  true,
  [],
  {},
  [null, 1],
  { x: 1, unknown: 2 },
  JSON.parse('{ "__proto__": 1 }'),
  new Date(0),
  () => 1,
];

/** Valid literals of each type, and invalid ones. */
export const EVERY_LITERAL = [...LITERALS.values(), WRONG_LITERALS].flat();
export const EVERY_VALUE = [...VALUES.values(), WRONG_VALUES].flat();

export interface InputWriter {
  /** In parentheses, to follow a field's name. */
  args(all: readonly GraphQLArgument[]): string;
  /** The definitions of the variables that were used. */
  readonly definitions: ReadonlyMap<string, string>;
  readonly values: Readonly<Record<string, unknown>>;
}

interface InputOptions {
  /** The string values to choose from. */
  readonly texts: readonly string[];
  readonly oddity: number;
}

interface Nesting {
  readonly depth: number;
  readonly isConstant: boolean;
}

interface Fields {
  readonly isOneOf: boolean;
  getFields(): Readonly<Record<string, GraphQLInputField>>;
}
