import type { Caller, TokenRequest } from '../domain/caller.ts';
import type { ConnectServices } from '../domain/connect-link.ts';
import type { Connection } from '../domain/connection.ts';
import type { ProviderCall, RequestLog } from '../domain/log.ts';
import type { CursorSigner } from '../domain/page.ts';
import type { ContactAccess, ContactPort, Provider } from '../domain/provider.ts';
import type { ProviderName } from '../domain/provider-names.ts';
import type { ResponseBounds, WorkPermit } from '../domain/resources.ts';
import type { CredentialStore, Revocation, Tenant } from '../domain/tenant.ts';
import type { ConnectionCache } from './connection-cache.ts';

/** What lives as long as the process. */
export interface Services {
  readonly providers: ReadonlyMap<ProviderName, Provider>;
  readonly cursors: CursorSigner;
  readonly connections: ConnectionCache;
  readonly connecting: ConnectServices;
  readonly cacheMaxAgeMs: number;
  /** For callers, and for requests without one. */
  readonly responseBounds: { readonly caller: ResponseBounds; readonly stranger: ResponseBounds };
  wall(): number;
  /** Of a monotonic clock. */
  now(): number;
  /** Resolves when no process can remember any more what was removed before the call. */
  untilForgotten(): Promise<void>;
  /** Lets work finish after the answer; what goes wrong with it is logged. */
  runInBackground(work: Promise<unknown>): void;
  /** Counts a request, which its request log stands for. */
  checkRateLimit(requestLog: RequestLog, caller: Caller): Promise<void> | undefined;
  /** Counts what a request costs beyond that: its whole cost so far, as GraphQL reckons it. */
  charge(requestLog: RequestLog, caller: Caller, cost: number): Promise<void> | undefined;
  openTenant(applicationId: string): Tenant;
  /** False: the provider says that the grant goes on. Rejects where that is unknown. */
  revokeGrant(grant: {
    readonly provider: Provider;
    readonly applicationId: string;
    readonly connectionId: string;
    readonly oauthClientId: string;
    readonly instanceUrl: string | null;
    readonly refreshToken: string;
  }): Promise<boolean>;
  /** Told of every removal: for the metrics. */
  onRevoked(provider: ProviderName, revocation: Revocation): void;
  /** What this process remembers of it, such as its token, is no longer true. */
  forgetConnection(connectionId: string): void;
  signToken(applicationId: string, token: TokenRequest): Promise<string | undefined>;
  openContactPort(options: {
    readonly connection: Connection;
    readonly access: ContactAccess;
    readonly credentials: CredentialStore;
    readonly cache: Tenant['contactCache'];
    /** Paused while one of its operations waits for the provider. */
    readonly permit: WorkPermit;
    /** Told of each call that is made for this request. */
    readonly onCall: (call: ProviderCall) => void;
  }): ContactPort;
  checkWebhookUrl(url: string): Promise<{ readonly url: string } | { readonly problem: string }>;
  checkInstanceUrl(
    url: string,
    hosts: readonly RegExp[],
  ): { readonly url: string } | { readonly problem: string };
}
