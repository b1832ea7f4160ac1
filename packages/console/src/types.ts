import type { RecordType } from './parts/names.ts';

/** What the admin API and the REST API return, as far as the console shows it. */
export interface Page<Item> {
  readonly pagination: { readonly next: string | null };
  readonly records: readonly Item[];
}

export interface Application {
  readonly id: string;
  readonly name: string;
  readonly origins: readonly string[];
  readonly deleted_at?: string;
}

export interface UsageHour {
  readonly application_id?: string;
  readonly hour: string;
  readonly requests?: number;
  readonly errors?: number;
  readonly provider_calls?: number;
  readonly tallies: Readonly<Record<string, number>> | null;
  readonly recent_errors?: readonly RecentError[] | null;
}

export interface Usage {
  readonly since: string;
  readonly until: string;
  readonly hours: readonly UsageHour[];
}

export interface RecentError {
  readonly id: string;
  readonly code: string;
  readonly at: string;
  readonly provider: string | null;
  readonly request_id: string;
}

export interface CustomerUsage {
  readonly customers: readonly {
    readonly customer_id: string | null;
    readonly requests: number;
    readonly errors: number;
    readonly provider_calls: number;
    readonly cost: number;
  }[];
}

interface OfCustomer {
  readonly application_id: string;
  readonly application: string;
  readonly customer_id: string;
  readonly provider_name: string;
}

export interface Attention {
  readonly connections: readonly (OfCustomer & {
    readonly status: string;
    readonly status_reason: string | null;
    readonly status_changed_at: string;
  })[];
  readonly syncs: readonly (OfCustomer & {
    readonly object: string;
    readonly table: string;
    readonly failures: number;
    readonly synced_until: string | null;
    readonly error: SyncError | null;
  })[];
  readonly endpoints: readonly {
    readonly application_id: string;
    readonly application: string;
    readonly id: string;
    readonly url: string;
    readonly enabled: boolean;
    readonly failures: number;
    readonly failing_since: string | null;
    readonly last_failure: string | null;
  }[];
}

export interface Check {
  readonly subject: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly detail: string;
}

export interface FoundCustomer {
  readonly customer_id: string;
  readonly name: string;
  readonly email: string;
  readonly connections: readonly {
    readonly provider_name: string;
    readonly status: string;
    readonly status_reason: string | null;
    readonly status_changed_at: string;
  }[];
}

export interface Customer {
  readonly customer_id: string;
  readonly name: string;
  readonly email: string;
  readonly version: number;
  readonly connections?: readonly Connection[];
}

export interface Connection {
  readonly id: string;
  readonly provider_name: string;
  readonly status: string;
  readonly status_reason?: string | null;
  readonly status_changed_at: string;
  readonly instance_url?: string | null;
  readonly account?: {
    readonly id?: string;
    readonly name?: string | null;
    readonly url?: string | null;
  } | null;
  readonly granted_scopes?: readonly string[];
  readonly missing_scopes?: readonly string[];
  readonly granted_access?: readonly {
    readonly record: RecordType;
    readonly can_read: boolean;
    readonly can_write: boolean;
    readonly missing_scopes: readonly string[];
  }[];
}

export interface MappingProblem {
  /** Absent: the mapping is of an object whose records are not read. */
  readonly record?: RecordType;
  readonly field: string;
  readonly source: string;
  readonly problem: string;
  readonly since: string;
}

interface SyncError {
  readonly code: string;
  readonly detail: string;
}

export interface Sync {
  readonly kind: string;
  readonly object: string;
  readonly schema?: string | null;
  readonly table: string;
  readonly status: string;
  readonly pause_reason?: string | null;
  readonly error?: SyncError | null;
  readonly last_run?: {
    readonly finished_at: string;
    readonly records: number;
    readonly deleted: number;
    readonly is_full: boolean;
  } | null;
  readonly progress?: {
    readonly started_at: string;
    readonly is_full: boolean;
    readonly records: number;
    readonly deleted: number;
  } | null;
  readonly next_run_at?: string | null;
  readonly synced_until?: string | null;
}

export interface History {
  readonly links: readonly {
    readonly id: string;
    readonly purpose: string;
    readonly status: string;
    readonly failure: string | null;
    readonly providers: readonly string[];
    readonly provider_name: string | null;
    readonly created_at: string;
    readonly expires_at: string;
  }[];
  readonly runs: readonly {
    readonly provider_name: string;
    readonly kind: string;
    readonly object: string;
    readonly started_at: string;
    readonly finished_at: string;
    readonly is_full: boolean;
    readonly records: number;
    readonly deleted: number;
    readonly error: SyncError | null;
  }[];
}

export interface Event {
  readonly id: string;
  readonly type: string;
  readonly customer_id: string;
  readonly data: unknown;
  readonly created_at: string;
}

export interface Delivery {
  readonly event_id: string;
  readonly endpoint_id: string;
  readonly type: string;
  readonly customer_id: string;
  readonly attempt: number;
  readonly status: number | null;
  readonly reason: string | null;
  readonly body: string | null;
  readonly ms: number;
  readonly created_at: string;
}

export interface PendingDelivery {
  readonly event_id: string;
  readonly type: string;
  readonly customer_id: string;
  readonly attempts: number;
  readonly next_attempt_at: string;
}

export interface Endpoint {
  readonly id: string;
  readonly url: string;
  readonly event_types?: readonly string[];
  readonly enabled: boolean;
  readonly last_failure?: string | null;
  readonly last_failure_at?: string | null;
  readonly created_at: string;
}

export interface Key {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
}

export interface AuditEntry {
  readonly id: string;
  readonly action: string;
  readonly session_id: string;
  readonly application_id: string | null;
  readonly customer_id: string | null;
  readonly subject: string | null;
  readonly created_at: string;
}
