import type { ProviderName } from './provider-names.ts';

/** A link that a customer follows to connect one CRM. It is completed once. */
export interface ConnectLink {
  readonly id: string;
  readonly applicationId: string;
  readonly customerId: string;
  /** What the customer may choose from; one is enough for no choice. */
  readonly providers: readonly ProviderName[];
  /** Within the application's registered origins. */
  readonly returnUrl: string;
  readonly mode: ConnectMode;
  /** Does the application redeem a code before the tokens are used? */
  readonly confirm: boolean;
  /** Where the customer logs in, when the application knows it. */
  readonly loginUrl: string | null;
  readonly optionalScopes: readonly string[];
  readonly allowAccountChange: boolean;
  readonly status: ConnectLinkStatus;
  readonly failure: ConnectFailure | null;
  /** Once one was chosen. */
  readonly providerName: ProviderName | null;
  /** Once it is completed. */
  readonly connectionId: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

export const CONNECT_MODES = ['REDIRECT', 'POPUP'] as const;
export type ConnectMode = (typeof CONNECT_MODES)[number];

export const CONNECT_LINK_STATUSES = [
  'PENDING',
  'STARTED',
  'AWAITING_CONFIRMATION',
  'COMPLETED',
  'FAILED',
  'EXPIRED',
  'CANCELED',
] as const;
export type ConnectLinkStatus = (typeof CONNECT_LINK_STATUSES)[number];

export const CONNECT_FAILURES = [
  'ACCESS_DENIED',
  'EXPIRED',
  'ALREADY_USED',
  'WRONG_BROWSER',
  'NOT_CONFIRMED',
  'ACCOUNT_MISMATCH',
  'MISSING_SCOPES',
  'NO_REFRESH_TOKEN',
  'ADMIN_APPROVAL_REQUIRED',
  'VENDOR_REFUSED',
  'VENDOR_UNAVAILABLE',
] as const;
export type ConnectFailure = (typeof CONNECT_FAILURES)[number];

/** Statuses of a link that can still be completed. */
export const OPEN_STATUSES = ['PENDING', 'STARTED'] as const satisfies readonly ConnectLinkStatus[];

export const DEFAULT_LINK_SECONDS = 900;
/** Enough to follow it at once. */
export const MIN_LINK_SECONDS = 30;
export const MAX_LINK_SECONDS = 86_400;
/** How long an application has to redeem the one-time code. */
export const CONFIRMATION_SECONDS = 600;

/** The links of ONE application. */
export interface ConnectLinkStore {
  /** Undefined where there is no such customer. */
  create(link: NewConnectLink): Promise<ConnectLink | undefined>;
  find(id: string): Promise<ConnectLink | undefined>;
  /** Of a link that had ended before, its end stays as it was. Undefined where there is no such link. */
  cancel(id: string): Promise<ConnectLink | undefined>;
  /** Redeems the one-time code: only now the connection is written. Undefined where there is no such link. */
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

/** `refused`: the code is another one, or the link waits for none. `ended`: it failed instead, for the reason in the link. */
export interface Confirmation {
  readonly outcome: 'confirmed' | 'refused' | 'ended';
  readonly link: ConnectLink;
}
