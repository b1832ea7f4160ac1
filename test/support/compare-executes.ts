import { Allowance, createExecutor, type ExecutorOptions } from '@crossbook/executor';
import type { ExecutionArgs, ExecutionResult, GraphQLSchema } from 'graphql';
import { expect } from 'vitest';
import { toPieces } from './fast-check.ts';

/** `CROSSBOOK_TEST_RUNS=100000` for a long run. */
export const PIECES = toPieces(Number(process.env['CROSSBOOK_TEST_RUNS'] ?? 1_500));

/** The resolvers of the tests declare what they use. */
const isPure: ExecutorOptions['isPure'] = ({ length }) => length <= 1;

/**
 * The executor as it is, one that reads plain data by resolvers, and one that uses the paths for many objects and long
 * lists also for small ones.
 */
export function createExecutes(schema: GraphQLSchema) {
  return [
    createUnlimitedExecute(schema),
    createUnlimitedExecute(schema, { isPure }),
    createUnlimitedExecute(schema, { isPure, writeAfter: 1, jsonAbove: 0 }),
  ];
}

/** The executor as it is, without an allowance, and with objects in place of JSON where nothing else is said. */
export function createUnlimitedExecute(schema: GraphQLSchema, options: ExecutorOptions = {}) {
  const { execute } = createExecutor(schema, options);
  return (args: ExecutionArgs) => execute({ ...args, allowance: new Allowance(UNBOUNDED) });
}

const ENDLESS = Number.POSITIVE_INFINITY;
const UNBOUNDED = { values: ENDLESS, bytes: ENDLESS, errors: ENDLESS, errorBytes: ENDLESS };

/** Keeps the order of keys; removes the error id, which is unique per instance. */
export function toText({ data, errors }: ExecutionResult): string {
  const printed = errors?.map(({ message, path, locations, originalError }) => ({
    message: ABOUT_INPUT.test(message) ? 'invalid input' : message,
    path,
    locations,
    origin: !ABOUT_INPUT.test(message) &&
      originalError && [
        originalError.name,
        originalError.message,
        (originalError as { code?: string }).code,
      ],
  }));
  return JSON.stringify({ data, errors: printed }, null, 1);
}

/** Their texts are our own. */
const ABOUT_INPUT = /^(?:The argument|Argument|The variable|Variable) /;

/** For invalid inputs, whose errors have texts of our own: data, and the positions of errors. */
export function toPositions({ data, errors }: ExecutionResult): string {
  const positions = errors
    ?.slice(0, MAX_COERCION_ERRORS)
    .map(({ path, locations }) => ({ path, locations }));
  return JSON.stringify({ data, errors: positions }, null, 1);
}

/** Variables are read until the last of these. */
export const MAX_COERCION_ERRORS = 20;

/** A comparison of errors only, or without any error, would prove little. */
export function createTally() {
  const counts = { complete: 0, partial: 0, nothing: 0 };
  return {
    count({ data, errors }: ExecutionResult) {
      counts[!errors ? 'complete' : data ? 'partial' : 'nothing'] += 1;
    },
    expectMore(least: number) {
      expect(counts.complete).toBeGreaterThan(least);
      expect(counts.partial).toBeGreaterThan(least / 5);
      expect(counts.nothing).toBeGreaterThan(0);
    },
  };
}
