/** What a browser does on a consent page, without a browser. */
export async function decide(url: string, decision: Decision): Promise<Outcome> {
  const form = {
    decision: decision.isAllowed === false ? 'deny' : 'allow',
    account: decision.account.id,
  };
  const response = await fetch(
    decision.at === undefined ? url : url.replace(/^http:\/\/[^/]+/, decision.at),
    {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams(form),
      ...(decision.headers && { headers: decision.headers }),
    },
  );
  const location = response.headers.get('location');
  return {
    status: response.status,
    page: await response.text(),
    back: location === null ? null : Object.fromEntries(new URL(location).searchParams),
    location,
  };
}

export const HUBSPOT_CALLBACK = 'http://127.0.0.1:3000/connect/callback/hubspot';
export const SALESFORCE_CALLBACK = 'http://127.0.0.1:3000/connect/callback/salesforce';

interface Decision {
  readonly account: { readonly id: string };
  /** Defaults to true. */
  readonly isAllowed?: boolean;
  readonly at?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Outcome {
  readonly status: number;
  readonly page: string;
  /** The parameters of the redirect back to the application; null when the vendor does not redirect. */
  readonly back: Readonly<Record<string, string>> | null;
  readonly location: string | null;
}
