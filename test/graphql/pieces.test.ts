import { createExecutor, nothingSpent } from '@crossbook/executor';
import { buildSchema, type DocumentNode, printSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { checkOperation, DEFAULT_LIMITS } from '../../src/graphql/engine/limits.ts';
import { translateErrors } from '../../src/graphql/over-http/errors.ts';
import { entitySchema } from '../../src/graphql/schema.ts';
import { toSubgraph } from '../../src/graphql/subgraph/to-subgraph.ts';
import { openAllowance, RESPONSE_BOUNDS } from '../../src/request/allowance.ts';
import { expectShortPiece } from '../support/calibrate.ts';

/** What a new document costs is divided into pieces, with other requests in between. */
const PIECES = ['parse', 'check', 'validate', 'plan', 'report'] as const;

const schema = toSubgraph(entitySchema);
const { tokens: _all, documentTokens: MAX_TOKENS, characters: MAX_CHARACTERS } = DEFAULT_LIMITS;
const SEARCH = 'searchContacts(filter: { emailDomain: "x.y" }, first: 1)';
const FIELDS = `id remoteId provider accountId ownerId firstName lastName lifecycleStage
  addresses { addressType street1 street2 city state postalCode country }
  emailAddresses { emailAddress emailAddressType } phoneNumbers { phoneNumber phoneNumberType }`;

/** Each as large as the limits allow, and the costliest found of its kind. */
const DOCUMENTS: Readonly<Record<string, string>> = {
  'fields of many searches': fill(
    (at) => `c${at}: ${SEARCH} { nodes { ${FIELDS} ${FIELDS} } }`,
    71,
    (all) => `{ ${all} }`,
  ),
  'a fragment in many searches': `{ ${list(190, (at) => `c${at}: ${SEARCH} { nodes { ...F } edges { node { ...F } } }`)} } fragment F on Contact { ${FIELDS} }`,
  'one field repeated': `{ ${list(20, (at) => `c${at}: ${SEARCH} { nodes { ${'id '.repeat(44)} } }`)} }`,
  'one selection repeated': `{ ${'customer { id customerId } '.repeat(115)} }`,
  'one field in inline fragments': `{ ${list(190, (at) => `c${at}: ${SEARCH} { nodes { ${'... { id } '.repeat(10)} } }`)} }`,
  'fragments in one selection': `{ ${SEARCH} { nodes { ${list(140, (at) => `...F${at}`)} } } } ${list(140, (at) => `fragment F${at} on Contact { ${list(6, (n) => `a${at}_${n}: id`)} }`)}`,
  'fragments on types': `{ ${list(190, (at) => `n${at}: node(id: "a") { ${list(8, (n) => `... on ${['Customer', 'Contact', 'ConnectLink', 'Node'][n % 4]} { id }`)} }`)} }`,
  'unused fragments': fill(
    (at) => `fragment F${at} on Contact { id }\n`,
    7,
    (all) => `{ customer { id } } ${all}`,
  ),
  'unknown types': fill(
    (at) => `fragment F${at} on ConnectLinkPayloadInput${at} { id }`,
    7,
    (all) => `{ customer { id } } ${all}`,
  ),
  'fragments in rings': `{ ...F0 } ${list(190, (at) => `fragment F${at} on Query { ...F${at % 90 === 89 ? at - 89 : at + 1} }\n`)}`,
  'used variables': `query (${list(1_650, (at) => `$v${at}: String! = "a"`)}) { searchContacts(filter: { emails: [${list(1_650, (at) => `$v${at}`)}] }) { totalCount } }`,
  'unused variables': `query ${'Q'.repeat(256)}(${list(2_900, (at) => `$v${at}: Int`)}) { customer { id } }`,
  'variables in a fragment of many operations': `${list(100, (at) => `query Q${at}($a: String!) { ...F }`)} fragment F on Query { searchContacts(filter: { emails: [${'$a '.repeat(5_000)}] }) { totalCount } }`,
  'a list of strings': `{ searchContacts(filter: { emails: [${'"a" '.repeat(MAX_TOKENS - 50)}] }) { totalCount } }`,
  'a list for a number': `{ searchContacts(filter: { email: "a" }, first: [${'1 '.repeat(MAX_TOKENS - 50)}]) { totalCount } }`,
  'an object for a string': `{ searchContacts(filter: { email: { ${list(3_900, (at) => `k${at}: 1`)} } }) { totalCount } }`,
  'unknown input fields': `{ searchContacts(filter: { ${list(3_900, (at) => `k${at}: 1`)} }) { totalCount } }`,
  'unknown arguments': `{ searchContacts(${list(3_900, (at) => `arg${at}: 1`)}) { totalCount } }`,
  'objects of any type': `{ _entities(representations: [${list(40, () => `${'{a:'.repeat(70)}1${'}'.repeat(70)}`)}]) { __typename } }`,
  'arguments that differ': `{ ${list(190, (at) => `searchContacts(filter: { email: "a${at}" }) { totalCount }\n`)} }`,
  'a long string for a number': `{ customers(first: "${'\\"'.repeat(65_000)}") { nodes { id } } }`,
  'lines of a block string': `{ node(id: """${'\n'.repeat(MAX_CHARACTERS - 50)}""") { id } }`,
  'errors after many lines': `${'\n'.repeat(MAX_CHARACTERS - 2_500)}{ ${list(150, (at) => `nothing${at}`)} }`,
  'conflicts of many nodes after many lines': `${'\n'.repeat(MAX_CHARACTERS - 15_000)}{ ${list(2, (n) => `a: customer { ${list(450, (at) => `x${at}: ${n ? 'id' : 'name'}`)} }`)} }`,
  'a syntax error after many lines': `${'\n'.repeat(MAX_CHARACTERS - 10)}{ a`,
  comments: `${'#\n'.repeat(MAX_CHARACTERS / 2 - 10)}{ a }`,
  'introspection of everything': `{ ${list(20, (at) => `a${at}: __schema { types { name fields { name args { name type { name ofType { name } } } } } }`)} }`,
};

describe.each(Object.entries(DOCUMENTS))('a new document of %s', (_name, text) => {
  test('is within the limits of its size', () => {
    expect(text.length).toBeLessThanOrEqual(MAX_CHARACTERS);
  });

  test.each(PIECES)('holds the event loop for less than 50 ms to %s it', (piece) => {
    const made = prepare(text);
    expectShortPiece(() => made[piece]());
  });
});

/** Each piece of work, with what it needs from those before it. */
function prepare(text: string): Readonly<Record<(typeof PIECES)[number], () => unknown>> {
  const operationName = text.startsWith('query Q0') ? 'Q0' : undefined;
  const open = () => createExecutor(schema);
  const executor = open();
  const errors: unknown[] = [];
  const document = attempt(() => executor.parse(text, 'app').document);
  const check = (asked: DocumentNode) =>
    checkOperation({
      schema,
      document: asked,
      operationName,
      variables: {},
      method: 'POST',
      isCallerKnown: true,
      limits: DEFAULT_LIMITS,
      spent: nothingSpent(),
      responseBytes: RESPONSE_BOUNDS.caller.bytes,
    });
  if (document && attempt(() => check(document))) errors.push(...executor.validate(document));
  const isValid = document && errors.length === 0;

  return {
    parse: () => open().parse(text, 'app'),
    // The cost is kept by operation, so each time a new document is checked.
    check: () => document && check(copyOf(document)),
    validate: () => document && open().validate(document),
    plan: () => isValid && plan(document),
    report: () => translateErrors(errors as never, audience()),
  };

  function attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      errors.push(error);
      return undefined;
    }
  }
}

/** Without resolvers and data, an execution does little else than planning. */
const { execute } = createExecutor(buildSchema(printSchema(schema)));

function plan(document: DocumentNode): unknown {
  const allowance = openAllowance(RESPONSE_BOUNDS.caller);
  return execute({ schema, document: copyOf(document), allowance });
}

function copyOf(document: DocumentNode): DocumentNode {
  return { ...document, definitions: document.definitions.map((one) => ({ ...one })) };
}

function audience(): Parameters<typeof translateErrors>[1] {
  const allowance = openAllowance(RESPONSE_BOUNDS.caller);
  return {
    applicationName: null,
    executed: false,
    suggestions: true,
    allowance,
    causes: new Set(),
  };
}

/** As many parts as there are tokens for. */
function fill(part: (at: number) => string, tokens: number, wrap: (all: string) => string): string {
  return wrap(list(Math.floor((MAX_TOKENS - 20) / tokens), part));
}

function list(size: number, write: (at: number) => string): string {
  return Array.from({ length: size }, (_, at) => write(at)).join(' ');
}
