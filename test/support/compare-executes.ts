import type { ExecutionResult, GraphQLSchema } from 'graphql';
import { expect } from 'vitest';
import { createExecute } from '../../src/graphql/compiled/execute.ts';
import { toPieces } from './fast-check.ts';

/** `CROSSBOOK_TEST_RUNS=100000` for a long night. */
export const PIECES = toPieces(Number(process.env['CROSSBOOK_TEST_RUNS'] ?? 1_500));

/** As it is, and with what is otherwise done for many objects and long lists done for each. */
export function createBothExecutes(schema: GraphQLSchema) {
  return [createExecute(schema), createExecute(schema, { writeAfter: 1, jsonAbove: 0 })];
}

/** Keys in their order; of errors all but the id that each instance has. */
export function toText({ data, errors }: ExecutionResult): string {
  const told = errors?.map(({ message, path, locations, originalError }) => ({
    ...{ message, path, locations },
    origin: originalError && [
      originalError.name,
      originalError.message,
      (originalError as { code?: string }).code,
    ],
  }));
  return JSON.stringify({ data, errors: told }, null, 1);
}

/** A comparison that never meets an error, or meets nothing else, shows little. */
export function createTally() {
  const counts = { whole: 0, partial: 0, nothing: 0 };
  return {
    count({ data, errors }: ExecutionResult) {
      counts[!errors ? 'whole' : data ? 'partial' : 'nothing'] += 1;
    },
    expectMore(least: number) {
      expect(counts.whole).toBeGreaterThan(least);
      expect(counts.partial).toBeGreaterThan(least / 5);
      expect(counts.nothing).toBeGreaterThan(0);
    },
  };
}
