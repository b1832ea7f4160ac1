/**
 * The cost of a field, declared with the field. One unit is one value in the response; `cost-analysis.ts` adds
 * them up before execution, and `operation-limits.ts` compares the sum. By default a field costs one unit plus its selections.
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

/** Options that declare a field's cost: `t.field({ …, ...costs({ items: 18 }) })`. */
export function costs(cost: FieldCost): { extensions: { cost: FieldCost } } {
  return { extensions: { cost } };
}

export function readCost(extensions: object): FieldCost {
  return 'cost' in extensions ? (extensions.cost as FieldCost) : {};
}
