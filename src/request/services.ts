import type { ResponseBounds } from '@crossbook/executor';
import type { RequestWork } from '../admission/work.ts';
import type { Caller, TokenRequest } from '../domain/caller.ts';
import type { ConnectServices } from '../domain/connect-link.ts';
import type { Connection } from '../domain/connection.ts';
import type { ProviderCall } from '../domain/log.ts';
import type { Signer } from '../domain/page.ts';
import type { CrmAccess, CrmPort, Providers } from '../domain/provider.ts';
import type { RequestState } from '../domain/request-state.ts';
import type { DestinationSecret } from '../domain/sync.ts';
import type { CredentialStore, RemovedConnection, Revocation, Tenant } from '../domain/tenant.ts';
import type { CheckedUrl } from '../domain/urls.ts';
import type { WriteTimes } from '../domain/writing.ts';
import type { ConnectionCache } from './connection-cache.ts';
import type { CustomFieldsCache } from './custom-fields-cache.ts';
import type { FieldRefreshes } from './field-refreshes.ts';

/** Services with the lifetime of the process. */
export interface Services {
  readonly providers: Providers;
  readonly cursors: Signer;
  readonly connections: ConnectionCache;
  readonly customFields: CustomFieldsCache;
  readonly fieldRefreshes: FieldRefreshes;
  readonly connecting: ConnectServices;
  readonly cacheMaxAgeMs: number;
  readonly writeTimes: WriteTimes;
  /** Response limits with and without an authenticated caller. */
  readonly responseBounds: {
    readonly caller: ResponseBounds;
    readonly unauthenticated: ResponseBounds;
  };
  wall(): number;
  /** Monotonic time. */
  now(): number;
  /** Resolves when no process can have in its cache what was removed before the call. */
  untilForgotten(): Promise<void>;
  /** Runs a background task that may outlive the response; its errors are logged. */
  runInBackground(work: Promise<unknown>): void;
  /** Charges the query cost of the whole request so far, as computed by GraphQL. */
  charge(request: RequestState, caller: Caller, cost: number): Promise<void> | undefined;
  openTenant(applicationId: string, work: RequestWork): Tenant;
  /** Revokes the grant of a removed connection, unless another connection uses it. Never rejects. */
  revokeRemoved(removed: RemovedConnection): Promise<Revocation>;
  /** Clears what this process has cached for the connection, such as its token. */
  forgetConnection(connectionId: string): void;
  signToken(applicationId: string, token: TokenRequest): Promise<string | undefined>;
  openCrmPort(options: {
    readonly connection: Connection;
    readonly access: CrmAccess;
    readonly credentials: CredentialStore;
    readonly cache: Tenant['contactCache'];
    readonly work: RequestWork;
    /** Its calls wait for those of other requests. */
    readonly isBackground?: boolean;
    /** Monotonic time. Absent: each operation has one of its own. */
    readonly deadline?: number;
    /** Called for each provider call of this request. */
    readonly onCall: (call: ProviderCall) => void;
  }): CrmPort;
  checkWebhookUrl(url: string): Promise<CheckedUrl>;
  /** Throws a `SyncFailure` if a sync destination of the application cannot be written. */
  checkDestination(
    destination: DestinationSecret & { readonly schema: string },
    applicationId: string,
  ): Promise<void>;
  /** Checks a logo of the application, in a turn of its own. */
  cleanLogo(png: Buffer, applicationId: string): Promise<Buffer | string>;
  checkInstanceUrl(url: string, hosts: readonly RegExp[]): CheckedUrl;
}
