import type { SandboxAccount } from './account.ts';
import type { CrmTypes, Simulation } from './simulation.ts';

/**
 * The account of a refresh token that an earlier run issued: the product stores it over a restart, the sandbox does
 * not. Tokens are deterministic, so they can be recomputed and compared.
 */
export function findEarlierOwner<Crm extends CrmTypes>(
  { simulation, accounts }: Earlier<Crm>,
  token: string,
): SandboxAccount<Crm> | undefined {
  return accounts.find((account) =>
    SERIALS.some((serial) => simulation.mintToken('refresh', account, serial) === token),
  );
}

const SERIALS = Array.from({ length: 100 }, (_, serial) => serial);

interface Earlier<Crm extends CrmTypes> {
  readonly simulation: Pick<Simulation<Crm>, 'mintToken'>;
  /** The accounts that exist after every start. */
  readonly accounts: readonly SandboxAccount<Crm>[];
}
