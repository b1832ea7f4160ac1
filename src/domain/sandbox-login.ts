/** What the rest of the product knows of an imitated CRM that stands behind a login origin of this machine. */
export interface SandboxLogin {
  /** Of exchange, look-up of the account and revocation: one of the sandbox's origins. */
  readonly tokenOrigin: string;
  /** What is kept in place of the instance URL that a grant names: the sandbox by its name, whatever its port is. */
  toInstanceUrl(url: string | null): string;
}

/** Undefined for every login origin but the sandbox's. */
export type FindSandboxLogin = (loginOrigin: string) => SandboxLogin | undefined;
