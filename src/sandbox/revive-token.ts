import type { SandboxAccount } from './account.ts';
import type { CrmTypes, Imitation } from './imitation.ts';

/**
 * Whose refresh token this is, of those that an earlier run gave out: the product keeps it over a restart, and the sandbox
 * keeps nothing. Minting is arithmetic, so it is known again.
 */
export function findEarlierOwner<Crm extends CrmTypes>(
  { imitation, accounts }: Earlier<Crm>,
  token: string,
): SandboxAccount<Crm> | undefined {
  return accounts.find((account) =>
    SERIALS.some((serial) => imitation.mintToken('refresh', account, serial) === token),
  );
}

const SERIALS = Array.from({ length: 100 }, (_, serial) => serial);

interface Earlier<Crm extends CrmTypes> {
  readonly imitation: Pick<Imitation<Crm>, 'mintToken'>;
  /** Those that are there whenever the sandbox is started. */
  readonly accounts: readonly SandboxAccount<Crm>[];
}
