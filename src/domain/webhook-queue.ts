/** What waits to be sent to endpoints, over all applications: for the sender alone. */
export interface WebhookQueue {
  /** Is anything due, and is there any endpoint that it could be for? Costs next to nothing. */
  look(): Promise<{ readonly isDue: boolean; readonly hasEndpoints: boolean }>;
  /** Endpoints that something is due for, each for this process alone until its lease ends: those that fail apart. */
  claim(wanted: Claim): Promise<readonly ClaimedEndpoint[]>;
  /** What is due for one, in the order of its events. */
  read(endpointId: string, limit: number): Promise<readonly Delivery[]>;
  /** It has arrived. `isRecovery`: what waits for another try is due now. */
  succeed(delivery: DeliveryKey, isRecovery: boolean): Promise<void>;
  fail(delivery: DeliveryKey, failure: DeliveryFailure): Promise<void>;
  release(endpointId: string, lease: string): Promise<void>;
  /** For the metric, and for who asks whether all is well. */
  count(): Promise<WebhookCounts>;
  /** The first twenty, for a person to read. */
  listFailing(): Promise<readonly FailingEndpoint[]>;
  /** Removes events that are older than they are kept, and what is left of endpoints that are gone. */
  sweep(olderThan: Date): Promise<number>;
}

export interface Claim {
  readonly lease: string;
  readonly leaseMs: number;
  readonly healthy: number;
  readonly failing: number;
}

export interface ClaimedEndpoint {
  readonly id: string;
  readonly url: string;
  /** As they are shown. Two while one takes the other's place; none where they cannot be opened. */
  readonly secrets: readonly string[];
  /** In a row, up to now. */
  readonly failures: number;
}

export interface DeliveryKey {
  readonly endpointId: string;
  readonly eventId: string;
}

export interface Delivery extends DeliveryKey {
  readonly customerId: string;
  /** Before this one. */
  readonly attempts: number;
  /** JSON, the same at each attempt. */
  readonly body: string;
}

export interface DeliveryFailure {
  /** In words that are ours: nothing of an answer. */
  readonly reason: string;
  /** When this delivery is tried again. */
  readonly retryAfterMs: number;
  /** For how long nothing is sent to the endpoint. */
  readonly pauseMs: number;
  /** It wants nothing any more. */
  readonly isGone: boolean;
}

export interface FailingEndpoint {
  readonly id: string;
  readonly application: string;
  readonly enabled: boolean;
  readonly lastFailure: string | null;
}

export interface WebhookCounts {
  /** Deliveries on their way. */
  readonly pending: number;
  /** For how long the first that is due for an endpoint that does not fail has waited; 0 where none waits. */
  readonly overdueSeconds: number;
  /** Endpoints that are enabled and have failed since the last success. */
  readonly failing: number;
  /** Endpoints that were disabled because they failed or are gone. */
  readonly disabled: number;
}

/** For so long a delivery is tried; an endpoint that has failed for so long is disabled. */
export const RETRIES_MS = 3 * 24 * 60 * 60_000;
