import type { ConnectResult } from 'crossbook-client';

/** The app's own server: it manages sessions, and has the API key. */
export const backend = {
  listCustomers: () => ask<readonly SignIn[]>('GET', 'customers'),
  /** Null: no user is signed in. */
  readSession: () => ask<Session | null>('GET', 'session'),
  signIn: (customerId: string) => ask('POST', 'session', { customerId }),
  signOut: () => ask('DELETE', 'session'),
  issueToken: () => ask<Token>('POST', 'token'),
  createConnectLink: (provider: Crm) => ask<Link>('POST', 'connect-links', { provider }),
  confirm: ({ connectLinkId, code }: Pick<ConnectResult, 'connectLinkId' | 'code'>) =>
    ask('POST', 'connect-links/confirm', { connectLinkId, code }),
  readSandbox: () => ask<Sandbox>('GET', 'sandbox'),
  setDown: (provider: Crm, isDown: boolean) => ask<Sandbox>('PUT', 'sandbox', { provider, isDown }),
};

async function ask<Answer = unknown>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`/api/${path}`, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}

/** The CRMs that this app searches. */
export type Crm = 'HUBSPOT' | 'SALESFORCE';

export interface SignIn {
  readonly customerId: string;
  readonly name: string;
  readonly hint: string;
}

export interface Session {
  readonly customerId: string;
  readonly crossbookUrl: string;
}

export interface Sandbox {
  /** Those that are simulated. */
  readonly providers: readonly Crm[];
  readonly down: readonly Crm[];
}

interface Token {
  readonly token: string;
  readonly expiresAt: string;
}

interface Link {
  readonly id: string;
  readonly url: string;
}
