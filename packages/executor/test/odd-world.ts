import {
  buildSchema,
  GraphQLError,
  type GraphQLScalarType,
  type GraphQLSchema,
  isObjectType,
} from 'graphql';
import { createDice, type Dice } from '../src/testing/dice.ts';

/** A schema with every feature that a query can use, and unreliable data. */
export function createOddSchema(resolution: TypeResolution = 'at once'): GraphQLSchema {
  const schema = buildSchema(SDL);
  for (const [name, fields] of Object.entries(TYPE_RESOLUTIONS[resolution]))
    Object.assign(schema.getType(name) ?? {}, fields);
  Object.assign(schema.getType('Anything') as GraphQLScalarType, { serialize: serializeAnything });
  resolveSome(schema);
  return schema;
}

const isHome = (value: World): boolean => 'street' in value;
const isOfKind = (kind: string) => ({ isTypeOf: (value: World) => value['kind'] === kind });

/** How objects of abstract types find their types. */
const TYPE_RESOLUTIONS = {
  /** As in the product: a name, at once and from the record alone. */
  'at once': {
    Being: { resolveType: typeNameOf },
    Pet: { resolveType: typeNameOf },
    Loose: { resolveType: ({ __typename }: World) => `${__typename}` },
  },
  /** Later, with the context and what is selected, and sometimes no name. */
  later: {
    Being: { resolveType: async ({ kind }: World) => kind },
    Pet: {
      resolveType: (value: World, _context: unknown, info: { fieldName: string }) =>
        info.fieldName === 'best' ? Promise.resolve(typeNameOf(value)) : value['kind'],
    },
    Home: { isTypeOf: async (value: World) => isHome(value) },
  },
  /** By graphql's default: `__typename`, or the first type that says so. */
  'by types': {
    Person: isOfKind('Person'),
    Robot: isOfKind('Robot'),
    Dog: isOfKind('Dog'),
    Cat: { isTypeOf: async (value: World) => value['kind'] === 'Cat' && value['lives'] !== 3 },
    Home: { isTypeOf: (value: World) => isHome(value) && value['city'] !== null },
  },
} as const;

export type TypeResolution = keyof typeof TYPE_RESOLUTIONS;

const ROOT = /* GraphQL */ `
    person(n: Int, where: Where): Person
    people(first: Int! = 3): [Person!]!
    crowd: [Person]
    being(mood: Mood): Being
    beings: [Being!]
    pets: [Pet]
    home: Home
    sure: Home!
    now: String
    any: Anything
`;

const SDL = /* GraphQL */ `
  scalar Anything
  enum Mood { GLAD SAD }
  interface Being { id: ID! name: String friend: Being }
  type Person implements Being {
    id: ID! name: String friend: Being age: Int! mood: Mood moods: [Mood!] tags: [String!]! height: Float
    matrix: [[Int!]] pets: [Pet!]! best: Pet! home: Home! homes: [Home] any: Anything must: Anything!
    isKind: Boolean! upper: String! shout: Home later(n: Int = 2, mood: Mood): String! soon(n: Int): [Home!]
    loose: Loose
  }
  type Robot implements Being { id: ID! name: String friend: Being model: String! home: Home }
  union Pet = Dog | Cat
  union Loose = Home | Dog
  type Dog { name: String! owner: Person barks: Boolean }
  type Cat { name: String! lives: Int! owner: Person! }
  type Home { street: String! city: String owner: Person rooms: [[String!]!] }
  input Where { name: String moods: [Mood!] }
  type Query { ${ROOT} }
  type Mutation { ${ROOT} }
`;

/** Some fields are computed from their parent, some take arguments, some are asynchronous. */
function resolveSome(schema: GraphQLSchema): void {
  set('Person', 'upper', (person: World) => String(person['name']).toUpperCase());
  set('Person', 'shout', (person: World) => person['home']);
  set('Person', 'later', async (person: World, { n, mood }: World) => {
    for (let turn = Math.min(Number(n), 100); turn > 0; turn -= 1) await undefined;
    if (mood === 'SAD') throw new GraphQLError('Not today.');
    return person['name'];
  });
  set(
    'Person',
    'soon',
    (person: World, { n }: World, _context: unknown, info: { path: { key: string } }) => {
      if (Number(n) > 50) throw new Error(`Too many for ${info.path.key}.`);
      return Number(n) > 2 ? Promise.resolve(person['homes']) : person['homes'];
    },
  );
  set('Robot', 'model', ({ model }: World) => model);

  function set(typeName: string, field: string, resolve: unknown): void {
    const type = schema.getType(typeName);
    if (isObjectType(type)) Object.assign(type.getFields()[field] ?? {}, { resolve });
  }
}

/** Wrong data gives an unknown name. */
function typeNameOf({ kind }: World): string {
  return `${kind}`;
}

function serializeAnything(value: unknown): unknown {
  if (value === 'refused') throw new GraphQLError('Anything but this.');
  return value === 'void' ? undefined : value;
}

/** The world as a root value. Asynchronous parts start when they are resolved. */
export function createWorld(seed: number): World {
  const dice = createDice(seed);
  // From a world without anomalies to one that consists of them.
  const anomalyPercent = dice.pick([0, 0, 1, 3, 12]);
  return {
    person: person(0),
    people: many(() => person(0)),
    crowd: many(() => person(1)),
    being: being(0),
    beings: many(() => being(1)),
    pets: many(() => pet(1)),
    home: home(0),
    sure: home(1),
    now: text(),
    any: anything(),
  };

  function person(depth: number): unknown {
    return wrap({
      kind: 'Person',
      id: dice.chance(90) ? text() : 7,
      name: text(),
      friend: deeper(depth, being),
      age: dice.next(90),
      mood: mood(),
      moods: many(mood),
      tags: many(text),
      height: dice.pick([1.5, 2, '3']),
      matrix: many(() => many(() => dice.next(9))),
      pets: many(() => deeper(depth, pet)),
      best: pet(depth + 1),
      home: home(depth + 1),
      homes: many(() => home(depth + 1)),
      any: anything(),
      must: anything(),
      isKind: dice.chance(50),
      later: false,
      loose: { __typename: 'Home', street: 'x' },
    });
  }

  function being(depth: number): unknown {
    if (dice.chance(60)) return person(depth);
    const robot = {
      id: text(),
      name: text(),
      model: text(),
      home: deeper(depth, home),
      friend: null,
    };
    return wrap({
      kind: dice.chance(95) ? 'Robot' : dice.pick(['Nobody', 7, null]),
      ...robot,
    });
  }

  function pet(depth: number): unknown {
    const owner = deeper(depth, person);
    if (dice.chance(50)) return wrap({ kind: 'Dog', name: text(), owner, barks: dice.chance(50) });
    return wrap({ kind: 'Cat', name: text(), lives: dice.next(9), owner });
  }

  function home(depth: number): unknown {
    const rooms = many(() => many(text));
    return wrap({
      street: text(),
      city: dice.chance(70) ? text() : null,
      owner: deeper(depth, person),
      rooms,
    });
  }

  function deeper(depth: number, make: (depth: number) => unknown): unknown {
    return depth < 3 && dice.chance(35) ? make(depth + 1) : dice.chance(90) ? undefined : null;
  }

  function mood(): unknown {
    return wrap(isAnomalous() ? 'ANGRY' : dice.pick(['GLAD', 'SAD']));
  }

  function text(): unknown {
    return wrap(dice.pick(['a', '', 'ß"\\\u2028', 'null', '7']));
  }

  function anything(): unknown {
    return wrap(
      dice.pick(['x', { deep: { a: [] } }, [1, null], 0, false, 'refused', 'void', null]),
    );
  }

  function many(make: () => unknown): unknown {
    const items = Array.from({ length: dice.next(3) }, make);
    return wrap(isAnomalous() ? new Set(items) : items);
  }

  function isAnomalous(): boolean {
    return dice.chance(anomalyPercent);
  }

  /** Sometimes replaces the value, or wraps it in a promise or function. */
  function wrap(value: unknown): unknown {
    return isAnomalous() ? surprise(value, dice) : value;
  }
}

function surprise(value: unknown, { pick }: Dice): unknown {
  return pick([
    null,
    undefined,
    'text',
    Number.NaN,
    { valueOf: () => 5 },
    new Error('An error for a value.'),
    () => value,
    () => Promise.resolve(value),
    () => Promise.reject(new Error('A promise that is broken.')),
    () => Promise.reject(new GraphQLError('Broken with a place.', { path: ['elsewhere'] })),
    () => {
      throw new Error('A function that throws.');
    },
    () => {
      throw 'text that is thrown';
    },
    Promise.resolve(value),
    [value],
    () => [Promise.resolve(value), value],
  ]);
}

export type World = Record<string, unknown>;
