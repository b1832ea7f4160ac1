import { writeRandomQuery } from '@crossbook/executor/testing';
import { type ExecutionResult, execute, type GraphQLSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import { apiSchema, entitySchema } from '../../src/graphql/schema.ts';
import { toSubgraph } from '../../src/graphql/subgraph/to-subgraph.ts';
import { createExecutes, createTally, PIECES, toText } from '../support/compare-executes.ts';
import { createFakeServices } from '../support/fake-services.ts';
import { fc } from '../support/fast-check.ts';
import { DEMO } from './test-server.ts';

test.each(PIECES)(
  'over the product’s own schema, the compiled executor responds as graphql does (seed $seed)',
  async ({ seed: firstSeed, numRuns }) => {
    const schema = toSubgraph(entitySchema);
    const fast = createExecutes(schema);
    const services = await createFakeServices();
    const { tenant } = services;
    const ids = await readIds(services);
    const texts = ['demo', 'ada@example.com', 'person2@example.com', 'example.com', ...ids];
    const tally = createTally();
    await tenant.customers.upsert(EVERYTHING);
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const { text, variables } = writeRandomQuery(schema, { seed, texts });
        const document = readValid(schema, text);
        if (!document) return;
        const args = { schema, document, variableValues: variables };
        const expected = await execute({ ...args, contextValue: open() });
        for (const one of fast) {
          const answer = await one({ ...args, contextValue: open() });
          const [own, others] = keepSharedErrors(sortErrors(answer), sortErrors(expected));
          expect(toText(own)).toBe(toText(others));
        }
        tally.count(expected);
      }),
      { numRuns, seed: firstSeed },
    );
    tally.expectMore(numRuns / 10);

    function open() {
      return services.openContext(new Headers(DEMO));
    }
  },
);

/** By their paths: two fields that read from storage may fail in either order. Over random schemas the order is compared. */
function sortErrors(result: ExecutionResult): ExecutionResult {
  const errors = result.errors?.toSorted((a, b) => (String(a.path) < String(b.path) ? -1 : 1));
  return errors ? { ...result, errors } : result;
}

/**
 * Where a field that may not be null has failed, the whole response is null, and GraphQL leaves open whether errors of
 * fields that were still running are reported.
 */
function keepSharedErrors(
  own: ExecutionResult,
  other: ExecutionResult,
): readonly [ExecutionResult, ExecutionResult] {
  if (own.data !== null || other.data !== null) return [own, other];
  const pathsOf = ({ errors = [] }: ExecutionResult) =>
    new Set(errors.map(({ path }) => String(path)));
  const [ofOwn, ofOther] = [pathsOf(own), pathsOf(other)];
  const keep = (result: ExecutionResult, paths: ReadonlySet<string>) => ({
    ...result,
    errors: (result.errors ?? []).filter(({ path }) => paths.has(String(path))),
  });
  const kept = [keep(own, ofOther), keep(other, ofOwn)] as const;
  expect(kept[0].errors).not.toEqual([]);
  return kept;
}

async function readIds({
  openContext,
}: Awaited<ReturnType<typeof createFakeServices>>): Promise<string[]> {
  const document = parse(
    '{ customer { id } searchContacts(filter: { emailDomain: "example.com" }) { nodes { id } } }',
  );
  const contextValue = openContext(new Headers(DEMO));
  const { data } = await execute({ schema: apiSchema, document, contextValue });
  const { customer, searchContacts } = data as {
    customer: Named;
    searchContacts: { nodes: Named[] };
  };
  return [customer.id, ...searchContacts.nodes.slice(0, 3).map(({ id }) => id)];
}

function readValid(schema: GraphQLSchema, text: string) {
  const document = parse(text);
  return validate(schema, document).length === 0 ? document : undefined;
}

const MAPPINGS = [{ schemaField: 'a', mappedField: 'b' }];
const SYNCED = [{ object: 'Contact', table: null }];

const EVERYTHING = {
  customerId: 'demo',
  name: 'Demo customer',
  email: 'demo@example.com',
  connections: [
    {
      providerName: 'hubspot',
      entityMappings: [
        { entityId: null, object: { type: 'custom', name: 'Thing' }, fieldMappings: MAPPINGS },
        { entityId: 'e', object: null, fieldMappings: [] },
      ],
      schemaMappingsConfig: {
        commonObjects: [{ object: 'Contact', fieldMappings: MAPPINGS }],
        standardObjects: [],
      },
      connectionSyncConfig: {
        destinationConfig: { type: 'bigquery', dataset: 'd' },
        standardObjects: SYNCED,
        customObjects: null,
      },
    },
    {
      providerName: 'salesforce',
      connectionSyncConfig: {
        destinationConfig: { type: 'postgres', schema: null },
        standardObjects: null,
        customObjects: SYNCED,
      },
    },
  ],
} as const;

interface Named {
  readonly id: string;
}
