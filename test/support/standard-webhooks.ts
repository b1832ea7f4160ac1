/**
 * The public package with its types. Imported by a computed name: an install without it can still check all other
 * types.
 */
export async function loadStandardWebhooks(): Promise<StandardWebhooks> {
  const name: string = 'standardwebhooks';
  return import(name);
}

export interface StandardWebhooks {
  readonly Webhook: new (
    secret: string,
  ) => {
    /** Throws if the signature or the timestamp is invalid. */
    verify(payload: string, headers: Record<string, string>): unknown;
    sign(id: string, timestamp: Date, payload: string): string;
  };
}
