/** Documents that grow with a number, for tests of how the work on them grows. Each has a name. */
export const GROWING_DOCUMENTS: readonly (readonly [string, (size: number) => string])[] = [
  ['fields', (size) => `{ ${'a '.repeat(size)} }`],
  [
    'aliases of the schema',
    (size) => `{ ${list(size, (at) => `a${at}: __schema { types { name } }`)} }`,
  ],
  [
    'a chain of fragments',
    (size) => `{ ...F0 } ${list(size, (at) => `fragment F${at} on Query { ...F${at + 1} }`)}`,
  ],
  [
    'a chain of fragments backwards',
    (size) => `{ ...F${size} } ${list(size, (at) => `fragment F${at + 1} on Query { ...F${at} }`)}`,
  ],
  [
    'fragments in a ring',
    (size) =>
      `{ ...F0 } ${list(size, (at) => `fragment F${at} on Query { ...F${(at + 1) % size} }`)}`,
  ],
  [
    'many spreads',
    (size) =>
      `{ ${list(size, (at) => `...F${at}`)} } ${list(size, (at) => `fragment F${at} on Query { a }`)}`,
  ],
  [
    'one fragment spread often',
    (size) => `{ ${'...F '.repeat(size)} } fragment F on Query { a b c }`,
  ],
  ['operations', (size) => list(size, (at) => `query Q${at} { __typename }`)],
  ['inline fragments', (size) => `{ ${'... { a } '.repeat(size)} }`],
  [
    'variables',
    (size) =>
      `query (${list(size, (at) => `$v${at}: Int`)}) { ${list(size, (at) => `a${at}: node(id: $v${at}) { id }`)} }`,
  ],
  ['a list', (size) => `query ($a: [Int!] = [${'1 '.repeat(size)}]) { __typename }`],
  ['strings', (size) => `{ ${list(size, (at) => `a${at}: node(id: "\\"x") { id }`)} }`],
  ['quotes', repeat('"')],
  ['comments', repeat('#"\n')],
  ['brackets', repeat('{[(')],
];

export function repeat(text: string): (size: number) => string {
  return (size) => text.repeat(size);
}

export function list(size: number, write: (at: number) => string): string {
  return Array.from({ length: size }, (_, at) => write(at)).join(' ');
}
