/** How the pages that ask for consent differ, in any CRM. What is the application's own is set on its home account. */
export interface ConsentQuirks {
  /** The redirect URIs that this account's application has registered. Null: the product's callback on this machine. */
  readonly redirectUris: readonly string[] | null;
  /** The Cross-Origin-Opener-Policy of the pages that ask on behalf of this account's application. */
  readonly openerPolicy: 'same-origin' | 'same-origin-allow-popups' | null;
  /** Who says no to this account's application is sent back without `state`. */
  readonly denyWithoutState: boolean;
  /** And without a description. */
  readonly denyWithoutDescription: boolean;
  /** How long a code of this account can be exchanged. */
  readonly codeTtlMs: number;
}

export const CONSENT_QUIRKS = {
  redirectUris: null,
  openerPolicy: null,
  denyWithoutState: false,
  denyWithoutDescription: false,
} as const satisfies Partial<ConsentQuirks>;
