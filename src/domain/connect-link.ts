import type { FindOAuthClient, Grant } from './oauth.ts';
import type { BoundSigner } from './page.ts';
import type { ProviderName } from './provider-names.ts';
import { date, field, nullable, type Of, shape, words, wordsOf } from './shape.ts';

export const connectMode = words('ConnectMode', 'How the browser returns from a connect link.', {
  REDIRECT: 'The browser is redirected to `returnUrl`.',
  POPUP: 'The link is opened in a popup, which posts a message to the page that opened it.',
});
export const CONNECT_MODES = wordsOf(connectMode);
export type ConnectMode = Of<typeof connectMode>;

const connectLinkStatus = words('ConnectLinkStatus', 'Status of a connect link.', {
  PENDING: 'The link was created, and the customer has not started the flow yet.',
  STARTED: 'A browser was sent to the provider’s consent page.',
  AWAITING_CONFIRMATION:
    'The customer granted access: redeem the one-time code with `confirmConnectLink`.',
  COMPLETED: 'The connection exists.',
  FAILED: 'The link ended without a connection: see `failure`.',
  EXPIRED: 'The link expired.',
  CANCELED: 'The link was canceled.',
});
export const CONNECT_LINK_STATUSES = wordsOf(connectLinkStatus);
export type ConnectLinkStatus = Of<typeof connectLinkStatus>;

const connectFailure = words(
  'ConnectFailure',
  'Reason why a connect link ended without a connection.',
  {
    ACCESS_DENIED: 'The customer denied access on the provider’s consent page.',
    EXPIRED: 'The link expired.',
    ALREADY_USED: 'The link was already used or had already ended.',
    WRONG_BROWSER: 'The callback came from a different browser than the one that started the flow.',
    NOT_CONFIRMED: 'The one-time code was not redeemed within ten minutes.',
    ACCOUNT_MISMATCH:
      'The account differs from the one connected before, and the link does not allow a change.',
    MISSING_SCOPES: 'Required scopes were not granted.',
    NO_REFRESH_TOKEN: 'The provider issued no refresh token.',
    ADMIN_APPROVAL_REQUIRED: 'An administrator of the account must approve the app first.',
    VENDOR_REFUSED: 'The provider refused for another reason, such as a wrong client secret.',
    VENDOR_UNAVAILABLE: 'The provider could not be reached.',
  },
);
export const CONNECT_FAILURES = wordsOf(connectFailure);
export type ConnectFailure = Of<typeof connectFailure>;

/** A connect link, with which a customer connects one CRM once. These are its visible fields. */
export const connectLink = shape(
  'ConnectLink',
  'A link with which one customer connects one CRM, once. Its URL is returned only when it is created.',
  {
    status: field(connectLinkStatus, 'Status of the link.'),
    failure: nullable(connectFailure, 'Reason of the failure. Null unless the link failed.'),
    createdAt: field(date, 'Time of creation.'),
    expiresAt: field(date, 'Time at which the link expires.'),
  },
);

export interface ConnectLink extends Of<typeof connectLink> {
  readonly id: string;
  readonly applicationId: string;
  readonly customerId: string;
  /** The providers to choose from; a single one needs no choice. */
  readonly providers: readonly ProviderName[];
  /** Must be at one of the application's registered origins. */
  readonly returnUrl: string;
  readonly mode: ConnectMode;
  /** Whether the application must redeem a code before the tokens are used. */
  readonly confirm: boolean;
  /** The customer's login page, if the application knows it. */
  readonly loginUrl: string | null;
  readonly optionalScopes: readonly string[];
  readonly allowAccountChange: boolean;
  /** Set once a provider was chosen. */
  readonly providerName: ProviderName | null;
  /** Set once it is completed. */
  readonly connectionId: string | null;
}

/** Statuses of a link that can still be completed. */
export const OPEN_STATUSES = ['PENDING', 'STARTED'] as const satisfies readonly ConnectLinkStatus[];

export const DEFAULT_LINK_SECONDS = 900;
/** Enough for following the link at once. */
export const MIN_LINK_SECONDS = 30;
export const MAX_LINK_SECONDS = 86_400;
/** How long an application has to redeem the one-time code. */
export const CONFIRMATION_SECONDS = 600;

/** The links of ONE application. */
export interface ConnectLinkStore {
  /** Undefined where there is no such customer. */
  create(link: NewConnectLink): Promise<ConnectLink | undefined>;
  find(id: string): Promise<ConnectLink | undefined>;
  /** A link that has ended keeps its end. Undefined where there is no such link. */
  cancel(id: string): Promise<ConnectLink | undefined>;
  /** Redeems the one-time code and writes the connection. Undefined where there is no such link. */
  confirm(id: string, codeHash: string): Promise<Confirmation | undefined>;
}

export type NewConnectLink = Pick<
  ConnectLink,
  | 'customerId'
  | 'providers'
  | 'returnUrl'
  | 'mode'
  | 'confirm'
  | 'loginUrl'
  | 'optionalScopes'
  | 'allowAccountChange'
  | 'expiresAt'
>;

/** `refused`: wrong code, or the link awaits none. `ended`: it has failed instead, see the link. */
export interface Confirmation {
  readonly outcome: 'confirmed' | 'refused' | 'ended';
  readonly link: ConnectLink;
}

/** The storage of connect link pages: the link whose signed id was presented, and its flows. */
export interface ConnectFlowStore {
  /** Undefined where it was deleted, e.g. with its customer. */
  findLink(linkId: string): Promise<VisitedLink | undefined>;
  /** Starts another flow of a link. Each tab has its own. */
  start(flow: NewConnectFlow): Promise<'started' | 'ended' | 'too many'>;
  findByState(stateHash: string): Promise<ConnectFlow | undefined>;
  /** Unused flows with these cookies. */
  findByCookies(
    providerName: ProviderName,
    cookieHashes: readonly string[],
  ): Promise<readonly ConnectFlow[]>;
  /** Consumes the state. False where it was used before. */
  take(stateHash: string): Promise<boolean>;
  /**
   * Stores the result of the exchange. With a code hash the encrypted grant waits until the application redeems the
   * code; without one the connection is written at once. The first flow that ends a link wins.
   */
  finish(linkId: string, finished: FinishedFlow): Promise<FlowEnd>;
  /** Fails an open link. False where it has ended otherwise. */
  fail(linkId: string, failed: FailedFlow): Promise<boolean>;
}

/** An OAuth flow from a link's page to the provider and back. */
export interface ConnectFlow {
  readonly stateHash: string;
  readonly linkId: string;
  readonly providerName: ProviderName;
  readonly cookieHash: string;
  /** The login origin that the customer was sent to, never taken from the callback. */
  readonly loginOrigin: string;
  readonly oauthClientId: string;
  /** The PKCE verifier. */
  readonly codeVerifier: string;
  readonly isUsed: boolean;
}

export type NewConnectFlow = Omit<ConnectFlow, 'isUsed'>;

/** A link with the names on its page. */
export interface VisitedLink {
  readonly link: ConnectLink;
  readonly applicationName: string;
  readonly customerName: string;
}

export interface FinishedFlow {
  readonly providerName: ProviderName;
  readonly grant: Grant;
  /** The OAuth client that it was granted to. */
  readonly oauthClientId: string;
  /** The hash of the one-time code; undefined where the link needs no confirmation. */
  readonly codeHash: string | undefined;
}

interface FailedFlow {
  readonly providerName: ProviderName;
  readonly failure: ConnectFailure;
}

/** The current link; undefined where it was deleted. `isOurs`: its status is due to this flow. */
export interface FlowEnd {
  readonly link: ConnectLink | undefined;
  readonly isOurs: boolean;
}

/** How long the cookie of a flow outlives its link, so that a late callback shows that the link has expired. */
export const FLOW_COOKIE_OUTLIVES_LINK_MS = 60 * 60_000;
/** The maximum of flows per link. */
export const MAX_FLOWS = 10;

/** Services for the steps of a connect link. */
export interface ConnectServices {
  /** A link's token is its signed id: forged ones are rejected without a database query. */
  readonly linkTokens: BoundSigner;
  /** The public origin of this installation; undefined where `PUBLIC_URL` is not set. */
  publicUrl(): string | undefined;
  /** The web origins that an application has registered. */
  findReturnOrigins(applicationId: string): Promise<readonly string[]>;
  readonly findOAuthClient: FindOAuthClient;
  /** The sandbox's login origin that replaces this one, if the sandbox is enabled. */
  toSandboxLogin(provider: ProviderName, loginOrigin: string): string | undefined;
}
