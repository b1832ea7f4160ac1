import type { AccountSetup, SandboxAccount } from './account.ts';
import type { CrmTypes } from './imitation.ts';
import { TOKEN_KINDS, type TokenKind } from './tokens.ts';

/** The tokens of one account. The same ones in the same order, whenever the sandbox is started. */
export function openTokens<Crm extends CrmTypes>(
  { imitation, options, tokens }: AccountSetup<Crm>,
  owner: () => SandboxAccount<Crm>,
): AccountTokens {
  const newest = new Map<TokenKind, string>();
  let approvals: readonly string[] = [];
  let serial = 0;

  const issueToken = (kind: TokenKind): string => {
    const token = imitation.mintToken(kind, owner(), serial);
    if (token === undefined) return '';
    serial += 1;
    const lifetimeMs = options.accessTokenTtlMs ?? imitation.accessTokenTtlMs;
    tokens.enter({ token, account: owner(), kind, ...(kind === 'access' && { lifetimeMs }) });
    newest.set(kind, token);
    return token;
  };
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
    issueToken,
    approve() {
      const token = issueToken('refresh');
      approvals = [...approvals, token];
      const { maxApprovals = approvals.length } = imitation;
      for (const old of approvals.slice(0, -maxApprovals)) tokens.end(old, 'revoked');
      approvals = approvals.slice(-maxApprovals);
      return token;
    },
    rotate(old) {
      const token = issueToken('refresh');
      tokens.end(old, 'spent');
      approvals = approvals.map((one) => (one === old ? token : one));
      return token;
    },
    useToken: (token, how) => tokens.use(token, how),
    endToken: (token, how) => tokens.end(token, how),
    expireAccessToken: () => tokens.end(newest.get('access') ?? '', 'expired'),
    revoke: (kinds = TOKEN_KINDS) => tokens.endAll(owner(), kinds),
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
  /** The customer connects once more: another refresh token. Where the CRM keeps only so many, the oldest dies. */
  approve(): string;
  /** Another refresh token for this one, which is spent. */
  rotate(refreshToken: string): string;
  useToken(token: string, how?: { readonly slides?: boolean }): void;
  endToken(token: string, how: 'revoked' | 'expired'): void;
  expireAccessToken(): void;
  /** The customer uninstalls the application: no token of this account is good any more; or none of these kinds. */
  revoke(kinds?: readonly TokenKind[]): void;
}
