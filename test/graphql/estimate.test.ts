import { analyzeCost, createExecutor } from '@crossbook/executor';
import { writeRandomQuery } from '@crossbook/executor/testing';
import { getOperationAST, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/graphql/engine/limits.ts';
import { takesOnlyParent } from '../../src/graphql/graphql-server.ts';
import { writeResponse } from '../../src/graphql/over-http/write-response.ts';
import { entitySchema } from '../../src/graphql/schema.ts';
import { toSubgraph } from '../../src/graphql/subgraph/to-subgraph.ts';
import { JsonBytes } from '../../src/lib/response-body.ts';
import { openAllowance, RESPONSE_BOUNDS } from '../../src/request/allowance.ts';
import { createFakePeople } from '../support/fake-people.ts';
import { createFakeRequestLog } from '../support/fake-request-log.ts';
import { createFakeServices } from '../support/fake-services.ts';
import { fc, toPieces } from '../support/fast-check.ts';
import { writeRandomIntrospection } from '../support/random-introspection.ts';
import { DEMO } from './test-server.ts';

const schema = toSubgraph(entitySchema);
const { execute } = createExecutor(schema, {
  isPure: takesOnlyParent,
  jsonAbove: 4,
  writeAfter: 10,
});

test.each(toPieces(1_000))(
  'what is answered has no more values than were estimated, and no more bytes than were counted (seed $seed)',
  async ({ seed, numRuns }) => {
    const usual = await createFakeServices({ people: createFakePeople(40) });
    const texts = ['demo', 'ada@example.com', 'person2@example.com', 'example.com'];
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (querySeed) => {
        const { text, variables } = writeRandomQuery(schema, { seed: querySeed, texts });
        const contextValue = usual.openContext(new Headers(DEMO));
        const made = await run(text, variables, contextValue);
        if (!made) return;
        answered += made.values;
        expect(made.values).toBeLessThanOrEqual(made.estimated);
        expect(made.values).toBeLessThanOrEqual(made.consumed.values);
        expect(made.bytes).toBe(made.consumed.bytes);
      }),
      { numRuns, seed },
    );
    expect(answered).toBeGreaterThan(numRuns);
  },
);

test.each(toPieces(300))(
  'of data that is larger than estimated, all is counted before it is made (seed $seed)',
  async ({ seed, numRuns }) => {
    const people = createFakePeople(40).map((person, index) => ({
      ...person,
      emailAddresses: Array(index).fill({
        emailAddress: 'ada@example.com',
        emailAddressType: 'other',
      }),
      addresses: Array(40 - index).fill(person.addresses[0]),
      rawData: { notes: '\u0001ü🦄"'.repeat(index * 20) },
    }));
    const services = await createFakeServices({ people });
    const texts = ['ada@example.com', 'example.com'];
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (querySeed) => {
        const { text, variables } = writeRandomQuery(schema, { seed: querySeed, texts });
        const made = await run(text, variables, services.openContext(new Headers(DEMO)));
        if (!made) return;
        expect(made.values).toBeLessThanOrEqual(made.consumed.values);
        expect(made.bytes).toBe(made.consumed.bytes);
      }),
      { numRuns, seed },
    );
  },
);

test('introspection queries are estimated by the size of their response', async () => {
  let answered = 0;
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const made = await run(writeRandomIntrospection(seed, 5_000), {}, {}).catch(() => undefined);
      if (!made) return;
      answered += made.values;
      expect(made.values).toBeLessThanOrEqual(made.estimated);
      expect(made.bytes).toBeLessThanOrEqual(made.estimatedBytes);
      expect(made.bytes).toBe(made.consumed.bytes);
    }),
    { numRuns: 100 },
  );
  expect(answered).toBeGreaterThan(1_000);
});

test('an operation that is combined with other fragments is estimated anew', () => {
  const small = parse('{ ...F } fragment F on Query { providers { name } }');
  const [, large] = parse(
    '{ ...F } fragment F on Query { providers { name category } }',
  ).definitions;
  const [operation] = small.definitions;
  const combined = { ...small, definitions: [operation, large].flatMap((node) => node ?? []) };
  const costOf = (document: typeof small) => {
    const found = getOperationAST(document);
    return (
      found &&
      analyzeCost({ schema, document, operation: found, variables: {}, limits: DEFAULT_LIMITS })
        .fields
    );
  };
  expect([small, combined, small].map(costOf)).toEqual([2, 3, 2]);
});

/** Undefined for what is not valid, or has no answer. */
async function run(text: string, variableValues: Record<string, unknown>, contextValue: unknown) {
  const document = parse(text);
  if (validate(schema, document).length > 0) return undefined;
  const operation = getOperationAST(document);
  if (!operation) return undefined;
  const { cost, bytes: estimatedBytes } = analyzeCost({
    schema,
    document,
    operation,
    variables: variableValues,
    limits: DEFAULT_LIMITS,
  });
  const allowance = openAllowance(RESPONSE_BOUNDS.caller);
  const result = await execute({ schema, document, variableValues, contextValue, allowance });
  if (!result.data) return undefined;
  const facts = { accept: null, caller: undefined, isRejected: false, suggestions: true };
  const { body } = await writeResponse(result, {
    ...facts,
    requestLog: createFakeRequestLog(),
    allowance,
  });
  const bytes = body instanceof JsonBytes ? body.toBuffer() : Buffer.from(body);
  const values = countValues(JSON.parse(bytes.toString()).data);
  const { consumed } = allowance;
  return {
    values,
    bytes: bytes.length,
    consumed,
    estimated: cost,
    estimatedBytes: estimatedBytes + ENVELOPE,
  };
}

/** Fields, and items of lists that are no objects. JSON of a CRM is one value. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) {
    return value.reduce<number>(
      (sum, item) => sum + (typeof item === 'object' ? countValues(item) : 1),
      0,
    );
  }
  if ('notes' in value || 'properties' in value) return 0;
  return Object.values(value).reduce<number>((sum, member) => sum + 1 + countValues(member), 0);
}

/** `{"data":{}}` */
const ENVELOPE = 12;
