import { createExecutor } from '@crossbook/executor';
import { type ExecutionResult, parse } from 'graphql';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { BACKGROUND_WORK } from '../../src/admission/work.ts';
import { checkInstanceUrl, checkReturnUrl } from '../../src/domain/urls.ts';
import { redactMessage } from '../../src/graphql/over-http/errors.ts';
import { entitySchema } from '../../src/graphql/schema.ts';
import { toSubgraph } from '../../src/graphql/subgraph/to-subgraph.ts';
import { readJsonText } from '../../src/lib/json.ts';
import { openAllowance, RESPONSE_BOUNDS } from '../../src/request/allowance.ts';
import { readInput, validateInput } from '../../src/rest/read-input.ts';
import { classifyError } from '../../src/storage/engine/failures.ts';
import { createLogger } from '../../src/telemetry/logger.ts';
import { expectShortPiece } from '../support/calibrate.ts';

const schema = toSubgraph(entitySchema);
const LONG = 'x'.repeat(1_000_000);
const SECRET = 'pat-na1-0123456789';
/** A megabyte, as much as a body may have. */
const unknown = Object.fromEntries(Array.from({ length: 33_000 }, (_, at) => [`k${at}`, SECRET]));

/**
 * Where a library could compose the text of an error from what a caller sent, and what the caller
 * or the log gets there. A new place of this kind is a new line.
 */
const PLACES: readonly (readonly [string, () => unknown])[] = [
  [
    'graphql, a syntax error at a string',
    () => parseError(`{ a "${SECRET}${LONG.slice(900_000)}" }`),
  ],
  ['graphql, a document beyond the limit', () => parseError(`{ a(b: "${LONG}") }`)],
  ['graphql, names', () => validate(`{ ${list(150, (at) => `${'n'.repeat(250)}${at}`)} }`)],
  ['graphql, a name beyond the limit', () => parseError(`{ ${LONG.slice(900_000)} }`)],
  [
    'graphql, literals of another type',
    () => validate(`{ customers(first: [${`"${SECRET}", `.repeat(5_000)}]) { nodes { id } } }`),
  ],
  ['graphql, variables: unknown fields', () => coerce('ContactFilter!', unknown)],
  ['graphql, variables: values of another type', () => coerce('[Int]', Array(90_000).fill(SECRET))],
  ['graphql, variables: a long enum value', () => coerce('ProviderName', LONG)],
  ['graphql, arguments that a variable makes invalid', argumentError],
  ['JSON.parse, a body that is no JSON', () => jsonError(`{"a": "${LONG}" ${SECRET}`)],
  ['JSON.parse, a key that is given twice', () => jsonError(`{"${LONG}": 1, "${LONG}": 2}`)],
  ['zod, unknown fields', withBody(unknown)],
  ['zod, an unknown field with a long name', withBody({ [LONG]: 1 })],
  ['zod, items of another type', withBody({ emails: Array(400_000).fill(7) })],
  ['zod, a text that is too long', withBody({ word: LONG })],
  ['zod, query parameters', () => restError({ query: `${LONG.slice(990_000)}=1` })],
  ['decodeURIComponent, a path', () => restError({ path: `%E0%A4%A${LONG.slice(990_000)}` })],
  ['URL, a return URL', () => checkReturnUrl(`https://${LONG}`, { id: 'a', origins: [] })],
  [
    'URL, an instance URL',
    () => checkInstanceUrl(`https://${LONG}`, { hosts: [], sandboxOrigins: [] }),
  ],
  ['PostgreSQL, a value that does not fit', () => databaseError('22P02')],
  ['the log, a message of any library', () => logged(new Error(LONG))],
];

test.each(PLACES)(
  '%s: a message is short, names no value, and takes less than 50 ms',
  async (_place, work) => {
    const text = JSON.stringify(await outcome(work)) ?? '';
    expect(text.length).toBeGreaterThan(10);
    expect(text.length).toBeLessThan(32 * 1024);
    expect(text).not.toContain(SECRET);
    expectShortPiece(work);
  },
);

/** What a reader gets: the result, or what was thrown. */
function outcome(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return toTexts(error);
  }
}

function toTexts(error: unknown): readonly unknown[] {
  const { message, cause } = error as Error;
  return [message, cause instanceof Error ? cause.message : undefined];
}

function parseError(text: string): string {
  try {
    openStore().parse(text, 'app');
    return '';
  } catch (error) {
    return redactMessage(error as Error, { suggestions: true });
  }
}

function validate(text: string): readonly string[] {
  const store = openStore();
  const errors = store.validate(store.parse(text, 'app').document);
  // Not redacted: it must not be there in the first place.
  return errors.map(({ message }) => message);
}

function openStore() {
  return createExecutor(schema);
}

function coerce(type: string, a: unknown): readonly string[] {
  return execute(`query ($a: ${type}) { __typename }`, { a });
}

/** A null in place of a default is found during execution only. */
function argumentError(): unknown {
  const emails = `"${SECRET}", `.repeat(5_000);
  return execute(
    `query ($a: String = "x") { searchContacts(filter: { emails: [${emails} $a] }) { totalCount } }`,
    { a: null },
  );
}

function execute(text: string, variableValues: Record<string, unknown>): readonly string[] {
  const { execute } = openStore();
  const allowance = openAllowance(RESPONSE_BOUNDS.caller);
  const result = execute({ schema, document: parse(text), variableValues, allowance });
  return (result as ExecutionResult).errors?.map(({ message }) => message) ?? [];
}

function jsonError(text: string): unknown {
  const read = readJsonText(text);
  return 'problem' in read ? [read.problem, (read.cause as Error | undefined)?.message] : read;
}

const PARTS = z.object({
  path: z.strictObject({ id: z.string().optional() }),
  query: z.strictObject({}),
  headers: z.object({}),
  body: z.strictObject({
    emails: z.array(z.string()).optional(),
    word: z.string().max(10).optional(),
  }),
});

function withBody(body: object): () => unknown {
  const { length } = JSON.stringify(body);
  return () => validateInput(PARTS, { path: {}, query: {}, headers: {}, body }, length);
}

function restError({ query = '', path = 'x' }: Asked): unknown {
  const request = {
    readBody: () => Buffer.from('{}'),
    headers: new Headers({ 'content-type': 'application/json' }),
    url: { searchParams: new URLSearchParams(query) },
  };
  const routed = { request: request as never, path: { id: path }, work: BACKGROUND_WORK };
  try {
    return readInput(PARTS, routed);
  } catch (error) {
    return toTexts(error);
  }
}

function databaseError(code: string): unknown {
  const failure = Object.assign(new Error(`invalid input syntax: "${SECRET}${LONG}"`), { code });
  return (classifyError(failure).error as Error).message;
}

function logged(cause: Error): string {
  const lines: string[] = [];
  const output = { write: (line: string) => lines.push(line) };
  createLogger({ level: 'info', output: output as never, readable: false }).error(
    { cause },
    'failed',
  );
  return lines.join();
}

function list(size: number, write: (at: number) => string): string {
  return Array.from({ length: size }, (_, at) => write(at)).join(' ');
}

interface Asked {
  readonly query?: string;
  readonly path?: string;
}
