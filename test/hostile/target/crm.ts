/** One simulated CRM of the product's sandbox, controlled from this process. */
export function openCrm(port: number): Crm {
  const ask = async <Reply>(path: string, method: string, body?: unknown): Promise<Reply> => {
    const response = await fetch(`http://127.0.0.1:${port}/__sandbox/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Reply;
  };
  const origin = `http://127.0.0.1:${port}`;
  return {
    demo: () => ask('accounts/demo', 'GET'),
    create: (email) =>
      ask('accounts', 'POST', { people: [{ email, firstName: 'Ada' }], limits: null }),
    connect: (account) => toConnection(account, origin),
    liftLimits: () => ask('accounts/demo/limits', 'PATCH', null),
    fail: (fault, { account = 'demo', ...timing } = {}) =>
      ask(`accounts/${account}/faults`, 'POST', { fault, ...timing }),
    recover: (account = 'demo') => ask(`accounts/${account}/faults`, 'DELETE', {}),
    expire: (account = 'demo') => ask(`accounts/${account}/expire`, 'POST', {}),
    async countCalls(operation, account = 'demo') {
      const { calls } = await ask<{ calls: { operation: string }[] }>(
        `accounts/${account}/calls`,
        'GET',
      );
      return calls.filter((call) => call.operation === operation).length;
    },
    async forgetCalls(account = 'demo') {
      await ask(`accounts/${account}/calls`, 'DELETE', {});
    },
  };
}

/** In the REST form of an upsert. */
function toConnection(
  { id, instanceUrl, staticToken, accessToken, refreshToken }: Account,
  origin: string,
) {
  if (staticToken === undefined) {
    const credentials = { type: 'oauth2', access_token: accessToken, refresh_token: refreshToken };
    return { provider_name: 'salesforce', instance_url: instanceUrl, credentials };
  }
  // HubSpot's instance URL is only a label: this one routes to the sandbox.
  const credentials = { type: 'token', value: staticToken };
  return { provider_name: 'hubspot', instance_url: `${origin}/contacts/${id}`, credentials };
}

export interface Crm {
  demo(): Promise<Account>;
  /** A new account with one contact. */
  create(email: string): Promise<Account>;
  connect(account: Account): object;
  liftLimits(): Promise<unknown>;
  fail(fault: unknown, timing?: FaultTiming): Promise<unknown>;
  recover(account?: string): Promise<unknown>;
  expire(account?: string): Promise<unknown>;
  /** Counts among the newest ten thousand calls. */
  countCalls(operation: string, account?: string): Promise<number>;
  /** The sandbox lives in the product's process: its call log must not count as the product's memory. */
  forgetCalls(account?: string): Promise<void>;
}

export interface FaultTiming {
  readonly account?: string;
  readonly times?: number;
  readonly after?: number;
  readonly operation?: string;
}

export interface Account {
  readonly id: string;
  readonly instanceUrl: string;
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly staticToken?: string;
  readonly clientSecret: string;
}
