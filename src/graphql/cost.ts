import { PROVIDER_CALL } from '../domain/contact-search.ts';
/**
 * The cost of a field, declared with the field. One unit is one value in the response; `cost-analysis.ts` adds
 * them up before execution, and `limits.ts` compares the sum. By default a field costs one unit plus its selections.
 */
export interface FieldCost {
  /** The cost of the field itself. */
  readonly weight?: CostAmount | undefined;
  /** Bytes of the value, where its length is fixed. */
  readonly bytes?: number;
  /** For a list: the multiplier for the cost of its selections. */
  readonly items?: CostAmount | undefined;
  /** For a page: the length of the nested lists with `paged`. */
  readonly pageSize?: CostAmount;
  readonly paged?: true;
}

/** A constant, or a function of the raw, unchecked arguments. */
export type CostAmount = number | ((args: UncheckedArguments) => number);

export type UncheckedArguments = Readonly<Record<string, unknown>>;

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

/** Options that declare a field's cost: `t.field({ …, ...costs({ items: 18 }) })`. */
export function costs(cost: FieldCost): { extensions: { cost: FieldCost } } {
  return { extensions: { cost } };
}

export function readCost(extensions: object): FieldCost {
  return 'cost' in extensions ? (extensions.cost as FieldCost) : {};
}
