import type { GraphQLResolveInfo } from 'graphql';
import type { PromiseOrValue } from 'graphql/jsutils/PromiseOrValue.js';

/**
 * Resolves a field of all objects of a list at once. The result has a value, or an `Error`, for each of them; objects
 * without one are resolved by themselves.
 */
export type ResolveAll<Source = never, Args = never, Context = never> = (
  sources: readonly Source[],
  args: Args,
  context: Context,
  info: GraphQLResolveInfo,
) => PromiseOrValue<ReadonlyMap<unknown, unknown>>;

/** Options of a field that is resolved for all objects of a list at once: `resolve` is for a single object. */
export function resolvesAll<Source, Args, Context>(
  resolveAll: ResolveAll<Source, Args, Context>,
): { readonly resolveAll: ResolveAll<Source, Args, Context> } {
  return { resolveAll };
}

export function readResolveAll(extensions: object): AnyResolveAll | undefined {
  return 'resolveAll' in extensions ? (extensions.resolveAll as AnyResolveAll) : undefined;
}

type AnyResolveAll = ResolveAll<unknown, Record<string, unknown>, unknown>;

/** A resolver for all objects has failed as a whole. */
export class Failed {
  readonly thrown: unknown;

  constructor(thrown: unknown) {
    this.thrown = thrown;
  }
}
