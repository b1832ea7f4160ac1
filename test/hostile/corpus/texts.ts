import { type DocumentKind, many, REFUSED } from './line.ts';

const LONG = 900_000;
const words = (text: string, length = LONG) => text.repeat(Math.ceil(length / text.length));

/** Documents whose parsing, validation or error message takes more than linear time or space. */
export const TEXTS: DocumentKind = {
  kind: 'texts that are long in one respect',
  as: ['stranger', 'key'],
  ways: ['POST'],
  // Unauthenticated ones can be rejected for requesting data before any other check.
  gets: {
    ...REFUSED,
    status: [400, 401, 413],
    codes: /^(BAD_REQUEST|PAYLOAD_TOO_LARGE|UNAUTHORIZED)$/,
  },
  lines: {
    'the words of a message, over and over': {
      query: `query A{__typename} query B{searchContacts(filter:"${words('cannot represent ')}"){nodes{id}}}`,
      operationName: 'A',
    },
    'an object where a name is asked for': '{__type(name:{}){name}}',
    'the words of a message, within the bound of a stranger': `{__type(name:{a:"${words('cannot represent ', 30_000)}"}){name}}`,
    'other words of a message': `{searchContacts(filter:"${words('Expected value of type found invalid value ')}"){nodes{id}}}`,
    'quotes within quotes': `{node(id:["${words('\\"')}"]){id}}`,
    'colons and dots': `{node(id:[${words('"a: b." ', 300_000)}]){id}}`,
    'a field whose name is almost a megabyte': `{${words('a')}}`,
    'a field with a name that is near to another': `{${words('searchContact', 30_000)}}`,
    '5,000 fields that do not exist': `{${many(5_000, (n) => `searchContact${n}`)}}`,
    '400 fields that do not exist, unauthenticated': `{__schema{${many(400, (n) => `queryTyp${n}`)}}}`,
    '5,000 arguments that do not exist': `{node(id:"x",${many(5_000, (n) => `idd${n}:1`)}){id}}`,
    'an argument 5,000 times': `{node(${many(5_000, () => 'id:"x"')}){id}}`,
    '3,000 conflicting fields of one name': `{${many(3_000, (n) => `a:node(id:"${n}"){id}`)}}`,
    '2,000 selections that merge': `{searchContacts(filter:{email:"a"}){${many(2_000, (n) => `nodes{id a${n % 900}:id}`)}}}`,
    '2,000 fragments in one selection': `{${many(2_000, (n) => `...F${n}`)}} ${many(2_000, (n) => `fragment F${n} on Query{a${n}:__typename}`)}`,
    '2,000 operations over 2,000 fragments': {
      gets: REFUSED,
      sends: {
        query: `${many(2_000, (n) => `query Q${n}{...F0}`)} ${many(2_000, (n) => `fragment F${n} on Query{...F${n + 1}}`)} fragment F2000 on Query{__typename}`,
        operationName: 'Q7',
      },
    },
    '150 conflicting selections, three deep': `{${many(150, (n) => `a:customer{a:connections{a:searchContacts(filter:{email:"${n}"}){totalCount}}}`)}}`,
    '5,000 variables that are unused': `query(${many(5_000, (n) => `$v${n}:Int`)}){__typename}`,
    '5,000 variables that are not declared': `{nodes(ids:[${many(5_000, (n) => `$v${n}`)}]){id}}`,
    'a variable declared 5,000 times': `query(${many(5_000, () => '$v:Int')}){__typename}`,
    '3,000 unused fragments': `{__typename} ${many(3_000, (n) => `fragment F${n} on Query{__typename}`)}`,
    '3,000 fragments of one name': `{...F} ${many(3_000, () => 'fragment F on Query{__typename}')}`,
    '3,000 fragments in a chain': `{...F0} ${many(3_000, (n) => `fragment F${n} on Query{...F${n + 1}}`)} fragment F3000 on Query{__typename}`,
    '300 fragments in a chain, unauthenticated': {
      gets: { status: [200, 400] },
      sends: `{...F0} ${many(300, (n) => `fragment F${n} on Query{...F${n + 1}}`)} fragment F300 on Query{__typename}`,
    },
    '1,000 fragments in a circle': `{...F0} ${many(1_000, (n) => `fragment F${n} on Query{...F${(n + 1) % 1_000}}`)}`,
    '200 fragments that each spread all': `{...F0} ${many(200, (n) => `fragment F${n} on Query{${many(40, (m) => `...F${(n * m) % 200}`)}}`)}`,
    'fragments that do not exist': `{${many(5_000, (n) => `...F${n}`)}}`,
    '3,000 operations': {
      gets: { status: [200, 400, 413] },
      sends: { query: many(3_000, (n) => `query Q${n}{__typename}`), operationName: 'Q2999' },
    },
    '3,000 operations of one name': {
      query: many(3_000, () => 'query Q{__typename}'),
      operationName: 'Q',
    },
    'types that do not exist': `{${many(2_000, (n) => `...on Contac${n}{id}`)}}`,
    'directives that do not exist': `{__typename ${many(5_000, (n) => `@includ${n}`)}}`,
    'a directive 5,000 times': `{__typename ${many(5_000, () => '@include(if:true)')}}`,
    'an operation whose name is almost a megabyte': {
      query: '{__typename}',
      operationName: words('n'),
    },
    'an operation whose name is 30 KB': {
      gets: { ...REFUSED, maxBytes: 4_096 },
      sends: { query: '{__typename}', operationName: words('n', 30_000) },
    },
    'a number of 900,000 digits': `{searchContacts(first:${words('1')},filter:{email:"a@b.c"}){totalCount}}`,
    'a string that does not end': `{node(id:"${words('x')}`,
    'a block string of nothing but line ends': `{node(id:["""${words(' \\n  \n')}"""]){id}}`,
    'escapes that end in none': `{node(id:"${words('\\u{1F600}')}\\u{FFFFFFFF}"){id}}`,
    'nothing but commas': words(','),
    'nothing but comments': words('#\n'),
    'one comment, and nothing else': `#${words('x')}`,
    'nothing but byte order marks': words('\uFEFF', 200_000),
    'nothing but surrogates': words('\uD800', 20_000),
    'nothing but opening braces': words('{'),
    'opening braces behind a comment that ends with a carriage return': `#\r${words('{a', 50_000)}`,
    'opening braces behind a string that ends with a carriage return': `{a(b:"\r${words('{a', 50_000)}`,
    'nothing but opening brackets in a value': `{node(id:${words('[', 100_000)}`,
    'inputs within inputs': `{searchContacts(filter:${words('{email:', 100_000)}"a"`,
    'lists of types': `query($v:${words('[', 100_000)}Int`,
    'spreads of inline fragments': words('{...', 100_000),
    'an input field that does not exist, 5,000 times': `{searchContacts(filter:{${many(5_000, (n) => `emai${n}:1`)}}){totalCount}}`,
    'a type system instead of an operation': many(5_000, (n) => `type T${n}{a:Int}`),
  },
};
