/** Variants of consent pages that any CRM can have. Settings of an application are set on its home account. */
export interface ConsentQuirks {
  /** The redirect URIs registered for this account's application. Null: the product's callback on this machine. */
  readonly redirectUris: readonly string[] | null;
  /** The Cross-Origin-Opener-Policy of the consent pages of this account's application. */
  readonly openerPolicy: 'same-origin' | 'same-origin-allow-popups' | null;
  /** A denied consent to this account's application redirects back without `state`. */
  readonly denyWithoutState: boolean;
  /** A denied consent redirects back without a description. */
  readonly denyWithoutDescription: boolean;
  /** The lifetime of this account's authorization codes. */
  readonly codeTtlMs: number;
}

export const CONSENT_QUIRKS = {
  redirectUris: null,
  openerPolicy: null,
  denyWithoutState: false,
  denyWithoutDescription: false,
} as const satisfies Partial<ConsentQuirks>;
