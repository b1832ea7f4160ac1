import type { BrandedApplication } from './branding.ts';
import { type ConnectFailure, connectFailure } from './connect-failure.ts';
import type { FindOAuthClient, Grant, Uninstall } from './oauth.ts';
import type { BoundSigner } from './page.ts';
import type { ProviderName } from './provider-names.ts';

import { type AllowedRecords, accessLevel } from './record-access.ts';
import { type RecordType, recordType } from './records/record-type.ts';
import { date, field, listOf, nullable, type Of, shape, words, wordsOf } from './shape.ts';

import type { CopiedRecords } from './sync.ts';

export const connectMode = words('ConnectMode', 'How the browser returns from a connect link.', {
  REDIRECT: 'The browser is redirected to `returnUrl`.',
  POPUP: 'The link is opened in a popup, which posts a message to the page that opened it.',
});
export const CONNECT_MODES = wordsOf(connectMode);
export type ConnectMode = Of<typeof connectMode>;

const connectLinkPurpose = words('ConnectLinkPurpose', 'What a connect link is for.', {
  CONNECT: 'The customer connects a CRM.',
  MAP_FIELDS: 'The customer maps custom fields to the fields of a CRM that is connected already.',
});

const connectLinkStatus = words('ConnectLinkStatus', 'Status of a connect link.', {
  PENDING: 'The link was created, and the customer has not started the flow yet.',
  STARTED: 'A browser was sent to the provider’s consent page.',
  AWAITING_CONFIRMATION:
    'The customer granted access: redeem the one-time code with `confirmConnectLink`.',
  COMPLETED: 'The connection exists; of a link to map fields: the mapping is stored.',
  FAILED: 'The link ended without a connection: see `failure`.',
  EXPIRED: 'The link expired.',
  CANCELED: 'The link was canceled.',
});
export type ConnectLinkStatus = Of<typeof connectLinkStatus>;

/** A connect link, with which a customer connects one CRM once. These are its visible fields. */
export const connectLink = shape(
  'ConnectLink',
  'A link with which one customer connects one CRM, or maps its fields, once. Its URL is returned only when it is created.',
  {
    purpose: field(connectLinkPurpose, 'What the link is for.'),
    status: field(connectLinkStatus, 'Status of the link.'),
    failure: nullable(connectFailure, 'Reason of the failure. Null unless the link failed.'),
    records: field(listOf(recordType), 'Types of records that it asks for.', { items: 3 }),
    access: field(accessLevel, 'Access to these records that it asks for.'),
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
  /** Whether the customer is asked to match fields after consent. */
  readonly mapFields: boolean;
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
/** How long a customer has to match fields after consent. */
export const MATCHING_SECONDS = 1_800;

/** The links of ONE application. */
export interface ConnectLinkStore {
  /** Undefined if there is no such customer. */
  create(link: NewConnectLink): Promise<ConnectLink | undefined>;
  find(id: string): Promise<ConnectLink | undefined>;
  /** A link that has ended keeps its end. Undefined if there is no such link. */
  cancel(id: string): Promise<ConnectLink | undefined>;
  /** Redeems the one-time code and writes the connection. Undefined if there is no such link. */
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
> &
  Partial<
    Pick<
      ConnectLink,
      'records' | 'access' | 'purpose' | 'mapFields' | 'providerName' | 'connectionId'
    >
  >;

/** `refused`: wrong code, or the link awaits none. `ended`: it has failed instead, see the link. */
export interface Confirmation {
  readonly outcome: 'confirmed' | 'refused' | 'ended';
  readonly link: ConnectLink;
}

/** The storage of connect link pages: the link whose signed id was presented, and its flows. */
export interface ConnectFlowStore {
  /** Undefined if it was deleted, e.g. with its customer. */
  findLink(linkId: string): Promise<VisitedLink | undefined>;
  /** Starts another flow of a link. Each tab has its own. */
  start(flow: NewConnectFlow): Promise<'started' | 'ended' | 'too many'>;
  findByState(stateHash: string): Promise<ConnectFlow | undefined>;
  /** Unused flows with these cookies. */
  findByCookies(
    providerName: ProviderName,
    cookieHashes: readonly string[],
  ): Promise<readonly ConnectFlow[]>;
  /** Consumes the state. False if it was used before. */
  take(stateHash: string): Promise<boolean>;
  /**
   * Stores the result of the exchange. With a code hash the encrypted grant waits until the application redeems the
   * code; without one the connection is written at once. The first flow that ends a link wins.
   */
  finish(linkId: string, finished: FinishedFlow): Promise<FlowEnd>;
  /** Fails an open link. False if it has ended otherwise. */
  fail(linkId: string, failed: FailedFlow): Promise<boolean>;
  /** The grant of a link that awaits confirmation. Undefined if there is none. */
  findGrant(linkId: string): Promise<StoredGrant | undefined>;
  /**
   * Ends the step in which a customer matches fields, once. Before the confirmation the choices wait with the grant;
   * otherwise the connection has them at once.
   */
  matchFields(linkId: string, matched: MatchedFields): Promise<FlowEnd>;
  /**
   * The connections of all applications with a grant that a user of an account has given to an OAuth client: at most
   * MAX_UNINSTALLED.
   */
  findGranted(
    provider: ProviderName,
    grant: { readonly clientId: string } & Pick<Uninstall, 'accountId' | 'userId'>,
  ): Promise<readonly GrantedConnection[]>;
}

export interface GrantedConnection {
  readonly applicationId: string;
  readonly customerId: string;
  readonly providerName: ProviderName;
  readonly connectionId: string;
  readonly instanceUrl: string | null;
  /** Of its credentials. */
  readonly generation: number;
}

/** One app and user: more than one only where several customers have connected the same account. */
export const MAX_UNINSTALLED = 100;

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
  /** The application as its customers see it. */
  readonly application: BrandedApplication;
  /** The hash of the cookie of the browser that gave consent, while it may match fields. */
  readonly sessionHash: string | null;
  /** What the customer's connections allow already, which the link does not take away. */
  readonly allowed: Readonly<Partial<Record<ProviderName, AllowedRecords>>>;
  /** What the application's syncs copy to its own database, where it has one. */
  readonly copied: Readonly<Partial<Record<ProviderName, CopiedRecords>>>;
}

/** A grant that waits for the application to confirm it, with the OAuth client that it was granted to. */
export interface StoredGrant {
  readonly grant: Grant;
  readonly oauthClientId: string;
  /** What the customer was asked for. Absent of a grant that was stored by an earlier version. */
  readonly requested?: AllowedRecords;
}

/** The field of the CRM that a customer has chosen for a custom field; null: none. */
export interface FieldChoice {
  readonly record: RecordType;
  readonly field: string;
  readonly source: string | null;
}

export interface MatchedFields {
  /** Must be that of the browser that gave consent; undefined for a link that only maps fields. */
  readonly sessionHash: string | undefined;
  /** Of all fields that customers may map. Undefined: the step was skipped, and nothing is changed. */
  readonly choices: readonly FieldChoice[] | undefined;
  /** The hash of the one-time code; undefined if the link needs no confirmation. */
  readonly codeHash: string | undefined;
}

export interface FinishedFlow {
  readonly providerName: ProviderName;
  readonly grant: Grant;
  /** The OAuth client that it was granted to. */
  readonly oauthClientId: string;
  /** What the customer was asked for: by the link, and what the connection allowed before. */
  readonly requested: AllowedRecords;
  /** The hash of the one-time code; undefined if the link needs no confirmation. */
  readonly codeHash: string | undefined;
  /** The hash of the browser's cookie, where the customer matches fields next. */
  readonly sessionHash?: string | undefined;
}

interface FailedFlow {
  readonly providerName: ProviderName;
  readonly failure: ConnectFailure;
}

/** The current link; undefined if it was deleted. `isOurs`: its status is due to this flow. */
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
  /** The public URL of this installation; undefined if `PUBLIC_URL` is not set. */
  publicUrl(): string | undefined;
  /** The web origins that an application has registered. */
  findReturnOrigins(applicationId: string): Promise<readonly string[]>;
  readonly findOAuthClient: FindOAuthClient;
  /** The sandbox's login origin that replaces this one, if the sandbox is enabled. */
  toSandboxLogin(provider: ProviderName, loginOrigin: string): string | undefined;
}
