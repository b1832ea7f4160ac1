import type { Application } from '../domain/caller.ts';
import type { Signer } from '../domain/page.ts';
import type { KeyRing } from '../storage/key-ring.ts';
import { createSigner, createSigningKeys } from '../storage/signing.ts';
import type { CallerDeps } from '../usecases/authorization.ts';
import { type Invocation, UsageError } from './command.ts';

/** What use cases that list something need: the operator calls them as the application. */
export function toListDeps(
  { id, name }: Application,
  keyRing: KeyRing,
): CallerDeps & { readonly cursors: Signer } {
  return {
    requireCaller: () => ({ application: { id, name }, credentialId: 'cli' }),
    withSpan: (_name, work) => work(),
    cursors: createSigner(createSigningKeys(keyRing, 'cursor')),
  };
}

/** Reads the size of a page from `--first`. */
export function readSize({ number }: Invocation, standard: number, most: number): number {
  const size = number('first') ?? standard;
  if (size < 1 || size > most) throw new UsageError(`--first must be from 1 to ${most}`);
  return size;
}
