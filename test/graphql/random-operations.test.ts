import type { GraphQLFormattedError } from 'graphql';
import { expect, test } from 'vitest';
import { entitySchema } from '../../src/graphql/schema.ts';
import { toSubgraph } from '../../src/graphql/subgraph/to-subgraph.ts';
import { fc, toPieces } from '../support/fast-check.ts';
import { writeRandomOperation } from './random-operation.ts';
import { createTestServer, DEMO, EXTENSIONS } from './test-server.ts';

const MEDIA_TYPES = ['application/json', 'application/graphql-response+json'];

test.each(toPieces(3_000))(
  'of random operations, valid and broken, none crashes and no error has another shape (seed $seed)',
  async ({ seed, numRuns }) => {
    const schema = toSubgraph(entitySchema);
    const server = await createTestServer();
    const tally = { answered: 0, failed: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(999), { minLength: 40, maxLength: 120 }),
        fc.constantFrom(...MEDIA_TYPES),
        fc.option(fc.dictionary(fc.constantFrom('v', 'x'), fc.jsonValue()), { nil: undefined }),
        async (numbers, accept, variables) => {
          const query = writeRandomOperation(schema, numbers);
          const response = await server.post({ query, variables }, { ...DEMO, accept });
          expect([200, 294, 400, 405]).toContain(response.status);
          const { data, errors = [] } = (await response.json()) as {
            data?: unknown;
            errors?: GraphQLFormattedError[];
          };
          for (const { message, extensions = {} } of errors) {
            expect(Object.keys(extensions).sort()).toEqual(EXTENSIONS);
            expect(message).toBe(extensions['detail']);
            expect(extensions['code']).not.toBe('INTERNAL_SERVER_ERROR');
          }
          tally[data === undefined ? 'refused' : errors.length > 0 ? 'failed' : 'answered'] += 1;
        },
      ),
      { numRuns, seed },
    );
    expect(server.requestLog.errors.filter(({ code }) => code === 'INTERNAL_SERVER_ERROR')).toEqual(
      [],
    );
    // The generator must reach all three, or it shows nothing.
    expect(Math.min(...Object.values(tally))).toBeGreaterThan(numRuns / 30);
  },
);
