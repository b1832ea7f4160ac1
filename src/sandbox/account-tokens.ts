import type { AccountSetup, SandboxAccount } from './account.ts';
import type { CrmTypes } from './imitation.ts';
import type { TokenKind } from './tokens.ts';

/** The tokens of one account. The same ones in the same order, whenever the sandbox is started. */
export function openTokens<Crm extends CrmTypes>(
  { imitation, identity, options, tokens }: AccountSetup<Crm>,
  owner: () => SandboxAccount<Crm>,
): AccountTokens {
  const newest = new Map<TokenKind, string>();
  let serial = 0;
  return {
    get accessToken() {
      return newest.get('access') ?? '';
    },
    get refreshToken() {
      return newest.get('refresh') ?? '';
    },
    get staticToken() {
      return newest.get('static');
    },
    issueToken(kind) {
      const token = imitation.mintToken(kind, identity, serial);
      if (token === undefined) return '';
      serial += 1;
      const lifetimeMs = options.accessTokenTtlMs ?? imitation.accessTokenTtlMs;
      tokens.enter({ token, account: owner(), kind, ...(kind === 'access' && { lifetimeMs }) });
      newest.set(kind, token);
      return token;
    },
    endToken: (token, how) => tokens.end(token, how),
    expireAccessToken: () => tokens.end(newest.get('access') ?? '', 'expired'),
    revoke: () => tokens.endAll(owner()),
  };
}

export interface AccountTokens {
  /** The newest ones. Older ones stay good until they expire or are revoked. */
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Undefined where the CRM has no tokens that never expire. */
  readonly staticToken: string | undefined;
  /** Empty where the CRM has no such kind. */
  issueToken(kind: TokenKind): string;
  endToken(token: string, how: 'revoked' | 'expired'): void;
  expireAccessToken(): void;
  /** The customer uninstalls the application: no token of this account is good any more. */
  revoke(): void;
}
