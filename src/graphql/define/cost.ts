import type { FieldCost, UncheckedArguments } from '@crossbook/executor';
import { PROVIDER_CALL } from '../../domain/records/record-search.ts';

/** Long values cost one unit per this many bytes. */
export const BYTES_PER_UNIT = 64;

/**
 * The cost of finding one record by id, relative to reading one value: it blocks the event loop for some ten
 * microseconds.
 */
const RECORD = 5;

/** The length of an unchecked list argument. */
export function countOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 1;
}

/** The costs of fields that load records by a list of ids, multiplied by the number of CRMs. */
export function recordCosts(
  idsOf: (args: UncheckedArguments) => unknown,
  countCalls: (args: UncheckedArguments) => number = () => 1,
): FieldCost {
  return {
    weight: (args) => PROVIDER_CALL * Math.max(1, countCalls(args)) + RECORD * countOf(idsOf(args)),
    items: (args) => countOf(idsOf(args)),
  };
}
