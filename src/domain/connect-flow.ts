import type { Grant } from './authorization.ts';
import type { ConnectFailure, ConnectLink } from './connect-link.ts';
import type { ProviderName } from './provider-names.ts';

/** What the pages of connect links may read and write: one link, whose signed id somebody presented, and its flows. */
export interface ConnectFlowStore {
  /** Undefined where it is gone, as with its customer. */
  findLink(linkId: string): Promise<VisitedLink | undefined>;
  /** Begins one more flow of a link. Each tab has its own. */
  start(flow: NewConnectFlow): Promise<'started' | 'ended' | 'too many'>;
  findByState(stateHash: string): Promise<ConnectFlow | undefined>;
  /** Flows that were begun with these cookies and are not used up. */
  findByCookies(providerName: ProviderName, cookieHashes: readonly string[]): Promise<readonly ConnectFlow[]>;
  /** Uses the state up. False where somebody has before. */
  take(stateHash: string): Promise<boolean>;
  /**
   * What came of the exchange. With a code the grant waits, sealed, until the application redeems it; without one the
   * connection is written at once. The first that ends a link wins.
   */
  finish(linkId: string, finished: FinishedFlow): Promise<FlowEnd>;
  /** Ends an open link without a connection. False where it has ended otherwise. */
  fail(linkId: string, failed: FailedFlow): Promise<boolean>;
}

/** One way from a link's page to the provider and back. */
export interface ConnectFlow {
  readonly stateHash: string;
  readonly linkId: string;
  readonly providerName: ProviderName;
  readonly cookieHash: string;
  /** Where the customer was sent to log in: never taken from the callback. */
  readonly loginOrigin: string;
  readonly oauthClientId: string;
  /** Of PKCE. */
  readonly codeVerifier: string;
  readonly isUsed: boolean;
}

export type NewConnectFlow = Omit<ConnectFlow, 'isUsed'>;

/** A link, and the names that its page shows. */
export interface VisitedLink {
  readonly link: ConnectLink;
  readonly applicationName: string;
  readonly customerName: string;
}

export interface FinishedFlow {
  readonly providerName: ProviderName;
  readonly grant: Grant;
  /** The client that it was granted to. */
  readonly oauthClientId: string;
  /** Of the one-time code; undefined where the link needs no confirmation. */
  readonly codeHash: string | undefined;
}

export interface FailedFlow {
  readonly providerName: ProviderName;
  readonly failure: ConnectFailure;
}

/** The link as it is now; undefined where it is gone. `isOurs`: it ended by this flow. */
export interface FlowEnd {
  readonly link: ConnectLink | undefined;
  readonly isOurs: boolean;
}

/** How often a link may be started. */
export const MAX_FLOWS = 10;
