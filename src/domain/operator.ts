/** The operator, signed in to the console. Requests with the admin key itself have no session. */
export interface Operator {
  readonly sessionId: string;
}

/** The credential of an operator's session in logs. */
export function toCredential({ sessionId }: Operator): string {
  return `console-${sessionId}`;
}

export const SESSION_MS = 8 * 60 * 60_000;
export const APPLICATION_SESSION_MS = 15 * 60_000;
/** Attempts to sign in from one address. */
export const SIGN_INS_PER_MINUTE = 5;
export const AUDIT_KEPT_MS = 90 * 24 * 60 * 60_000;

/** What an operator did in the console: ids and names of operations, never a value. */
export interface AuditEntry extends Operator {
  /** The id of an operation of the REST or admin API, or `signIn`, `signOut`, `openApplication`. */
  readonly action: string;
  readonly applicationId?: string | undefined;
  readonly customerId?: string | undefined;
  /** What else it concerned, such as the id of a key or the name of a provider. */
  readonly subject?: string | undefined;
}

/** An entry as it is stored. */
export interface StoredAuditEntry {
  readonly id: string;
  readonly sessionId: string;
  readonly action: string;
  readonly applicationId: string | null;
  readonly customerId: string | null;
  readonly subject: string | null;
  readonly createdAt: Date;
}

export interface AuditStore {
  /** Stored before the action: what cannot be recorded does not happen. */
  add(entry: AuditEntry): Promise<void>;
  /** Newest first. `before`: the id of the last entry of the previous page. */
  list(page: {
    readonly before: string | undefined;
    readonly limit: number;
  }): Promise<readonly StoredAuditEntry[]>;
  isSignedOut(sessionId: string): Promise<boolean>;
}
