import type { AccountSetup, SandboxAccount } from './account.ts';
import type { CrmTypes } from './simulation.ts';
import { type Approval, TOKEN_KINDS, type TokenKind } from './tokens.ts';

/** The tokens of one account. They are deterministic: the same ones in the same order after every start. */
export function openTokens<Crm extends CrmTypes>(
  { simulation, identity, options, tokens, now }: AccountSetup<Crm>,
  owner: () => SandboxAccount<Crm>,
): AccountTokens {
  const newest = new Map<TokenKind, string>();
  /** The live refresh tokens, oldest first. */
  let approvals: readonly { readonly token: string; readonly approval: Approval }[] = [];
  let latest: Approval = { clientId: identity.clientId, scopes: undefined };
  let serial = 0;

  const issueToken: AccountTokens['issueToken'] = (kind, approval = latest, lifetimeMs) => {
    const token = simulation.mintToken(kind, owner(), serial);
    if (token === undefined) return '';
    serial += 1;
    const lifetime =
      kind === 'access' ? (options.accessTokenTtlMs ?? simulation.accessTokenTtlMs) : lifetimeMs;
    tokens.enter({ token, account: owner(), kind, approval, lifetimeMs: lifetime });
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
    approve(granted = { clientId: identity.clientId, scopes: undefined }) {
      const token = issueToken('refresh', granted);
      latest = granted;
      approvals = [...approvals, { token, approval: granted }];
      const ofClient = approvals.filter(({ approval }) => approval.clientId === granted.clientId);
      const { maxApprovals = ofClient.length } = simulation;
      const ending = ofClient.slice(0, Math.max(0, ofClient.length - maxApprovals));
      for (const old of ending) tokens.end(old.token, 'revoked');
      approvals = approvals.filter((one) => !ending.includes(one));
      return token;
    },
    rotate(old) {
      const approval = tokens.find(old)?.approval;
      const token = issueToken('refresh', approval);
      tokens.end(old, 'spent');
      approvals = approvals.map((one) => (one.token === old ? { ...one, token } : one));
      return token;
    },
    findRefreshToken: (clientId) =>
      approvals.findLast(
        ({ token, approval }) => approval.clientId === clientId && !tokens.find(token)?.ended,
      )?.token,
    useToken: (token, how) => tokens.use(token, how),
    endToken: (token, how) => tokens.end(token, how),
    endApproval: (approval) => tokens.endApproval(approval),
    expireAccessToken: () => tokens.end(newest.get('access') ?? '', 'expired'),
    async uninstall() {
      for (const { approval } of approvals) tokens.endApproval(approval);
      const reports = approvals.map(({ approval }) => approval.reportUninstall?.(now()));
      approvals = [];
      return (await Promise.all(reports)).filter((status) => status !== undefined);
    },
    revoke: (kinds = TOKEN_KINDS) => tokens.endAll(owner(), kinds),
  };
}

export interface AccountTokens {
  /** The newest tokens. Older ones stay valid until they expire or are revoked. */
  readonly accessToken: string;
  readonly refreshToken: string;
  /** Undefined if the CRM has no tokens that never expire. */
  readonly staticToken: string | undefined;
  /**
   * Empty if the CRM has no such kind. Belongs to the newest approval by default. Access tokens have the CRM's
   * lifetime; others live for `lifetimeMs`, or never expire.
   */
  issueToken(kind: TokenKind, approval?: Approval, lifetimeMs?: number): string;
  /**
   * The customer consents once more, by default to this account's own application, and gets another refresh token.
   * Where the CRM limits the approvals of one application, the oldest is revoked.
   */
  approve(approval?: Approval): string;
  /** Replaces a refresh token: the old one becomes `spent`. */
  rotate(refreshToken: string): string;
  /** The newest live refresh token of this application. */
  findRefreshToken(clientId: string): string | undefined;
  useToken(token: string, how?: { readonly slides?: boolean }): void;
  endToken(token: string, how: 'revoked' | 'spent' | 'expired'): void;
  /** Revokes every token of one consent. */
  endApproval(approval: Approval): void;
  expireAccessToken(): void;
  /**
   * The customer uninstalls all applications, and the CRM reports it to those that have a callback URL. Returns the
   * statuses of their responses.
   */
  uninstall(): Promise<readonly number[]>;
  /** Revokes all tokens of the account, or those of these kinds, without a report. */
  revoke(kinds?: readonly TokenKind[]): void;
}
