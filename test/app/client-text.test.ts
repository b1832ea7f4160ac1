import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { OPERATIONS } from '../../src/rest/routes/all.ts';
import { askMcp, toCall } from '../mcp/ask-mcp.ts';
import { type Json, openApp, type TestApp } from '../support/open-app.ts';
import { toFetch } from '../support/to-fetch.ts';

/** No part of it occurs twice, so that a run of it in a message is one that was copied. */
const LONG = Array.from({ length: 700 }, (_, at) => `t${at}x`).join('');
const RUN = 101;
const LIBRARY =
  /Invalid (input|option|string|key|element|ISO|URL)|expected \w+, received|Too (big|small)|Unrecognized key|got invalid value/;

let crossbook: TestApp;
let asKey: Record<string, string>;
beforeAll(async () => {
  crossbook = await openApp({
    mcp: { allowsKeys: true, writes: false, text: true, issuer: undefined },
  });
  asKey = { 'x-api-key': crossbook.key, 'x-customer-id': 'demo' };
});
afterAll(() => crossbook.close());

async function ask(method: string, path: string, headers: Record<string, string>, body?: unknown) {
  const request = new Request(`http://crossbook.test${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const response = await toFetch(crossbook.app.answer)(request);
  return response.text();
}

/** Every text below `errors` and `error`, and a whole text that is no JSON. */
function readErrors(text: string): readonly string[] {
  const texts: string[] = [];
  const collect = (value: Json): void => {
    if (typeof value === 'string') texts.push(value);
    else if (value && typeof value === 'object')
      for (const one of Object.values(value)) collect(one);
  };
  const visit = (value: Json): void => {
    if (!value || typeof value !== 'object') return;
    for (const [name, one] of Object.entries(value))
      if (name === 'errors' || name === 'error' || name === 'content') collect(one);
      else visit(one);
  };
  if (text === '') return [];
  visit(JSON.parse(text));
  return texts;
}

/** Asserts the rule of all errors. Returns how many there are. */
function check(text: string, place: string): number {
  const errors = readErrors(text);
  for (const error of errors) {
    for (let at = 0; at + RUN <= error.length; at += 1) {
      const run = error.slice(at, at + RUN);
      if (LONG.includes(run)) expect.fail(`${place} repeats ${run}…: ${error.slice(0, 300)}`);
    }
    expect(error, place).not.toMatch(LIBRARY);
  }
  return errors.length;
}

/** Values for a place where nothing is known of the schema, or where it is ignored. */
const WRONG: readonly unknown[] = [LONG, 1.5, true, null, {}, [], [LONG], { [LONG]: LONG }];

/** A value by a schema, with the leaf in place of each text. */
function fill(schema: z.ZodType, leaf: unknown): unknown {
  const { def } = schema as unknown as { def: Json };
  if (def.innerType) return fill(def.innerType, leaf);
  switch (def.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(def.shape as Record<string, z.ZodType>).map(([name, member]) => [
          name,
          fill(member, leaf),
        ]),
      );
    case 'array':
      return [fill(def.element, leaf)];
    case 'pipe':
      return fill(def.out.def.type === 'transform' ? def.in : def.out, leaf);
    case 'union':
      return fill(def.options[0], leaf);
    case 'record':
      return { [LONG]: leaf };
    case 'boolean':
      return true;
    case 'number':
      return 1;
    case 'literal':
      return def.values[0];
    default:
      return leaf;
  }
}

/** The same value with a wrong one at each place, one after another, and with an unknown member. */
function* spoil(value: unknown): Generator<unknown> {
  yield* WRONG;
  if (Array.isArray(value)) for (const wrong of spoil(value[0])) yield [wrong];
  else if (typeof value === 'object' && value !== null) {
    yield { ...value, [LONG]: 1 };
    for (const [name, member] of Object.entries(value))
      for (const wrong of spoil(member)) yield { ...value, [name]: wrong };
  }
}

/** A part of all, drawn evenly: an upsert has thousands. */
function sample<Item>(all: Iterable<Item>, size: number): readonly Item[] {
  const items = [...all];
  const step = Math.max(1, items.length / size);
  return Array.from(
    { length: Math.min(size, items.length) },
    (_, at) => items[Math.floor(at * step)] as Item,
  );
}

describe('No error repeats more than 100 characters of what a client sent, or has words of a library', () => {
  test.each(OPERATIONS.map((operation) => [operation.id, operation] as const))(
    'REST, %s',
    async (_id, { method, path, input }) => {
      const own = path.replace('{customer_id}', 'demo').replace('{provider_name}', 'hubspot');
      const wanted = encodeURIComponent(LONG);
      const { query, body } = (input as Json).shape;
      const run = async (target: string, value?: unknown, headers = {}) => {
        const text = await ask(method, target, { ...asKey, ...headers }, value);
        return check(
          text,
          `${method} ${target.slice(0, 80)} ${JSON.stringify(value)?.slice(0, 200)}`,
        );
      };
      const valid = body.def.type === 'undefined' ? undefined : fill(body, LONG);
      await run(path.replace(/\{\w+\}/g, wanted), valid);
      await run(own.replace(/\{\w+\}/g, wanted), valid);
      for (const name of [...Object.keys(query.shape), 'other', wanted])
        await run(`${own.replace(/\{\w+\}/g, 'x')}?${name}=${wanted}`, valid);
      if (valid === undefined) return;
      for (const value of sample(spoil(valid), 60)) await run(own.replace(/\{\w+\}/g, 'x'), value);
    },
  );

  test('headers of all APIs', async () => {
    const names = [
      'x-customer-id',
      'x-provider-name',
      'x-api-key',
      'authorization',
      'content-type',
      'accept',
      'if-match',
      'origin',
      'idempotency-key',
      'traceparent',
      'mcp-protocol-version',
      'mcp-method',
      'mcp-name',
      'content-encoding',
    ];
    const filter = { email: 'ada@example.com' };
    const query = '{ searchContacts(filter: { email: "ada@example.com" }) { totalCount } }';
    let count = 0;
    for (const name of names)
      for (const value of [LONG, `Bearer ${LONG}`, `"${LONG}"`, `application/${LONG}`]) {
        const headers = { ...asKey, [name]: value };
        const place = `${name}: ${value.slice(0, 20)}`;
        count += check(await ask('POST', '/contacts/_search', headers, { filter }), place);
        count += check(await ask('POST', '/graphql', headers, { query }), place);
        const message = toCall('search_contacts', { filter });
        count += check((await askMcp(crossbook, { headers, message })).text, place);
      }
    expect(count).toBeGreaterThan(50);
  });

  test('GraphQL: arguments, variables, names', async () => {
    const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
    let count = 0;
    const run = async (query: string, variables?: object) => {
      count += check(
        await ask('POST', '/graphql', asKey, { query, variables }),
        query.slice(0, 120),
      );
    };
    for (const [kind, type] of [
      ['query', schema.getQueryType()],
      ['mutation', schema.getMutationType()],
    ] as const)
      for (const field of Object.values(type?.getFields() ?? {}))
        for (const { name, type: given } of field.args) {
          const query = `${kind} ($a: ${given}) { ${field.name}(${name}: $a) { __typename } }`;
          for (const a of sample(spoil(fillInput(given, 3)), 25)) await run(query, { a });
          await run(query, { a: fillInput(given, 3) });
          await run(`${kind} { ${field.name}(${name}: "${LONG}") { __typename } }`);
          await run(`${kind} { ${field.name}(${name}: { ${LONG}: 1 }) { __typename } }`);
        }
    await run(`{ ${LONG} }`);
    await run(`query { customer { ${LONG} } }`);
    await run(`query ($${LONG}: Int!) { __typename }`, {});
    await run(`query ($${LONG}: ${LONG}) { __typename }`, {});
    await run(`{ ...${LONG} }`);
    await run(`{ customer @${LONG} { id } }`);
    await run(`{ customer(${LONG}: 1) { id } }`);
    await run(`{ customer(customerId: ${LONG}) { id } }`);
    await run(`{ a`, {});
    const named = { query: '{ __typename }', operationName: LONG };
    count += check(await ask('POST', '/graphql', asKey, named), 'operationName');
    expect(count).toBeGreaterThan(200);
  });

  test('MCP: methods, tools, arguments', async () => {
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const { tools } = (await askMcp(crossbook, { headers: asKey, message: list })).body.result;
    let count = 0;
    const run = async (message: object) => {
      const { text } = await askMcp(crossbook, { headers: asKey, message });
      count += check(text, JSON.stringify(message).slice(0, 200));
    };
    for (const wrong of WRONG) {
      await run({ ...list, method: wrong });
      await run({ ...list, id: wrong });
      await run({ ...list, params: wrong });
      await run({ ...list, jsonrpc: wrong });
      await run(toCall(wrong as string, {}));
    }
    for (const { name, inputSchema } of tools)
      for (const args of sample(spoil(fillJsonSchema(inputSchema)), 120))
        await run(toCall(name, args));
    expect(count).toBeGreaterThan(200);
  });
});

function fillInput(type: GraphQLInputType, levels: number): unknown {
  if (isNonNullType(type)) return fillInput(type.ofType, levels);
  if (isListType(type)) return [fillInput(type.ofType, levels)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (!isInputObjectType(type))
    return { Int: 1, Float: 1, Boolean: true, JSON: { [LONG]: LONG } }[type.name] ?? LONG;
  if (levels === 0) return null;
  const fields = Object.values(type.getFields()).slice(0, type.isOneOf ? 1 : undefined);
  return Object.fromEntries(fields.map((field) => [field.name, fillInput(field.type, levels - 1)]));
}

function fillJsonSchema(schema: Json): unknown {
  if (schema.enum) return schema.enum[0];
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, one]) => [name, fillJsonSchema(one)]),
      );
    case 'array':
      return [fillJsonSchema(schema.items)];
    case 'integer':
      return 1;
    case 'boolean':
      return true;
    default:
      return LONG;
  }
}
