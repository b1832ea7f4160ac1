/**
 * Every token that a CRM ever issued, with its account. Ended tokens are kept, because they get other errors than
 * unknown ones.
 */
export function createTokenBook<Account>({ now }: { now: () => number }): TokenBook<Account> {
  const grants = new Map<string, Grant<Account>>();
  return {
    find: (token) => (token === undefined ? undefined : grants.get(token)),
    enter({ token, account, kind, approval, lifetimeMs }) {
      const expiresAt = lifetimeMs === undefined ? null : now() + lifetimeMs;
      grants.set(token, {
        token,
        account,
        kind,
        approval,
        expiresAt,
        lifetimeMs,
        usedAt: now(),
        ended: undefined,
      });
    },
    use(token, { slides = false } = {}) {
      const grant = grants.get(token);
      if (grant === undefined) return;
      const expiresAt =
        slides && grant.lifetimeMs !== undefined ? now() + grant.lifetimeMs : grant.expiresAt;
      grants.set(token, { ...grant, expiresAt, usedAt: now() });
    },
    end(token, how) {
      const grant = grants.get(token);
      if (grant === undefined) return;
      grants.set(
        token,
        how === 'expired'
          ? { ...grant, expiresAt: now() - 1_000 }
          : { ...grant, ended: grant.ended ?? how },
      );
    },
    endAll(account, kinds) {
      for (const { token, kind, account: owner } of grants.values())
        if (owner === account && kinds.includes(kind)) this.end(token, 'revoked');
    },
    endApproval(approval) {
      for (const grant of grants.values())
        if (grant.approval === approval) this.end(grant.token, 'revoked');
    },
  };
}

export function isAlive(grant: Grant<unknown>, now: number): boolean {
  return grant.ended === undefined && (grant.expiresAt === null || grant.expiresAt > now);
}

export interface TokenBook<Account> {
  find(token: string | undefined): Grant<Account> | undefined;
  enter(entry: NewGrant<Account>): void;
  /** Records a successful use of the token, which can extend its lifetime. */
  use(token: string, options?: { readonly slides?: boolean }): void;
  /** Spent: a refresh token that was replaced by rotation. */
  end(token: string, how: 'revoked' | 'spent' | 'expired'): void;
  /** Revokes all tokens of these kinds that this account ever got. */
  endAll(account: Account, kinds: readonly TokenKind[]): void;
  /** Revokes every token of one consent. */
  endApproval(approval: Approval): void;
}

export interface Grant<Account> {
  readonly token: string;
  readonly account: Account;
  readonly kind: TokenKind;
  readonly approval: Approval;
  /** Null: never. */
  readonly expiresAt: number | null;
  readonly lifetimeMs: number | undefined;
  /** When it was issued, or last used successfully. */
  readonly usedAt: number;
  readonly ended: 'revoked' | 'spent' | undefined;
}

/** One consent of a user to one application, shared by all tokens that are derived from it. */
export interface Approval {
  /** The OAuth client that it was granted to. */
  readonly clientId: string;
  /** Undefined: whatever the account allows. A later consent to the same grant replaces its scopes. */
  scopes: readonly string[] | undefined;
  /** For an authorization code: the parameters that its exchange must repeat. */
  readonly request?: CodeRequest | undefined;
  /**
   * Tells the application that the user has uninstalled it, and returns the status of its response. Absent: the CRM
   * does not.
   */
  reportUninstall?(now: number): Promise<number>;
}

interface CodeRequest {
  readonly redirectUri: string;
  /** The PKCE code challenge (S256); undefined without PKCE. */
  readonly codeChallenge: string | undefined;
}

export const TOKEN_KINDS = ['access', 'refresh', 'static', 'code'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

interface NewGrant<Account> {
  readonly token: string;
  readonly account: Account;
  readonly kind: TokenKind;
  readonly approval: Approval;
  readonly lifetimeMs?: number | undefined;
}
