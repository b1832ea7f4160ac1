/** The public package, as its types are. Loaded by name: an install from before it was added still checks all other types. */
export async function loadStandardWebhooks(): Promise<StandardWebhooks> {
  const name: string = 'standardwebhooks';
  return import(name);
}

export interface StandardWebhooks {
  readonly Webhook: new (
    secret: string,
  ) => {
    /** Throws where the signature or the time is wrong. */
    verify(payload: string, headers: Record<string, string>): unknown;
    sign(id: string, timestamp: Date, payload: string): string;
  };
}
