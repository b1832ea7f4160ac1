export { Allowance, DEFAULT_BOUNDS, type ResponseBounds } from './allowance.ts';
export {
  type CostAmount,
  costs,
  type FieldCost,
  readCost,
  type UncheckedArguments,
} from './cost/cost.ts';
export { analyzeCost, type OperationCost } from './cost/cost-analysis.ts';
export {
  checkLimits,
  DEFAULT_LIMITS,
  LIMITS,
  type Limit,
  type Limits,
  nothingSpent,
  refundCost,
  type Spent,
} from './cost/operation-limits.ts';
export { findFragments, selectFields } from './documents/document-limits.ts';
export { rememberByOperation } from './documents/document-store.ts';
export { createFairCache } from './documents/fair-cache.ts';
export { type UseExecutorOptions, useExecutor } from './envelop.ts';
export type { IsPure } from './execution/plan.ts';
export { type ResolveAll, resolvesAll } from './execution/resolve-all.ts';
export { createExecutor, type Executor, type ExecutorOptions } from './executor.ts';
export { jsonLength, measureSize, type SizeLimits, stringLength } from './json/size.ts';
export {
  type BodyMeter,
  countOwnBytes,
  JSON_CHUNK_ITEMS,
  JsonBytes,
  shareBytes,
  toJsonBody,
} from './json/write.ts';
export { LimitError, type ToError } from './limit-error.ts';
export type TakeTurn = () => Promise<void> | undefined;
