/** Every token that a CRM ever gave out, with whose it is: dead ones are remembered, because they answer differently. */
export function createTokenBook<Account>({ now }: { now: () => number }): TokenBook<Account> {
  const grants = new Map<string, Grant<Account>>();
  return {
    find: (token) => (token === undefined ? undefined : grants.get(token)),
    enter({ token, account, kind, lifetimeMs }) {
      const expiresAt = lifetimeMs === undefined ? null : now() + lifetimeMs;
      grants.set(token, { token, account, kind, expiresAt, isRevoked: false });
    },
    end(token, how) {
      const grant = grants.get(token);
      if (grant === undefined) return;
      grants.set(
        token,
        how === 'revoked' ? { ...grant, isRevoked: true } : { ...grant, expiresAt: now() - 1_000 },
      );
    },
    endAll(account) {
      for (const grant of grants.values()) if (grant.account === account) this.end(grant.token, 'revoked');
    },
  };
}

export interface TokenBook<Account> {
  find(token: string | undefined): Grant<Account> | undefined;
  enter(entry: NewGrant<Account>): void;
  end(token: string, how: 'revoked' | 'expired'): void;
  /** Revokes all that this account ever got. */
  endAll(account: Account): void;
}

export interface Grant<Account> {
  readonly token: string;
  readonly account: Account;
  readonly kind: TokenKind;
  /** Null: never. */
  readonly expiresAt: number | null;
  readonly isRevoked: boolean;
}

export type TokenKind = 'access' | 'refresh' | 'static';

interface NewGrant<Account> {
  readonly token: string;
  readonly account: Account;
  readonly kind: TokenKind;
  readonly lifetimeMs?: number | undefined;
}
