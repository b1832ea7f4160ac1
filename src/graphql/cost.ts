import { PROVIDER_CALL } from '../domain/contact-search.ts';
/**
 * What a field costs, said where the field is. One unit is one value in the answer; `limits.ts` adds them up before
 * anything runs. A field that says nothing costs one unit and what is selected in it.
 */
export interface FieldCost {
  /** What the field costs by itself. */
  readonly weight?: CostAmount;
  /** Of the value in the answer, where it is always as long. */
  readonly bytes?: number;
  /** A list: how often what is selected in it is paid for. */
  readonly items?: CostAmount;
  /** A page: how long the lists within it are that say `paged`. */
  readonly pageSize?: CostAmount;
  readonly paged?: true;
}

/** A fixed number, or one that follows from the arguments: as the client gave them, unchecked. */
export type CostAmount = number | ((args: UncheckedArguments) => number);

export type UncheckedArguments = Readonly<Record<string, unknown>>;

/** What is longer than usual values costs one unit for so many bytes. */
export const BYTES_PER_UNIT = 64;

/** To find one record by its id, against reading a value of it: some ten microseconds that the event loop is held. */
const RECORD = 5;

/** How many values a list argument has, as far as can be told before it is checked. */
export function countOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 1;
}

/** Records that are asked for by a list of ids, of as many CRMs as it counts. */
export function recordCosts(
  idsOf: (args: UncheckedArguments) => unknown,
  countCalls: (args: UncheckedArguments) => number = () => 1,
): FieldCost {
  return {
    weight: (args) => PROVIDER_CALL * Math.max(1, countCalls(args)) + RECORD * countOf(idsOf(args)),
    items: (args) => countOf(idsOf(args)),
  };
}

/** For a field's options: `t.field({ …, ...costs({ items: 18 }) })`. */
export function costs(cost: FieldCost): { extensions: { cost: FieldCost } } {
  return { extensions: { cost } };
}

export function readCost(extensions: object): FieldCost {
  return 'cost' in extensions ? (extensions.cost as FieldCost) : {};
}
