import { openSandbox, type SalesforceAccount, type Sandbox } from '../../src/open-sandbox.ts';
import type { Person } from '../../src/people.ts';

/** A sandbox whose clock is advanced by hand, and one account with the few requests that the tests need. */
export async function openClient(people: readonly Partial<Person>[]): Promise<Client> {
  let now = Date.UTC(2026, 10, 20, 12);
  const sandbox = await openSandbox({ now: () => now });
  const account = sandbox.salesforce.createAccount({ people });
  const send = async (path: string, init: Init = {}): Promise<SandboxResponse> => {
    const response = await fetch(`${sandbox.salesforce.origin}${path}`, {
      ...(init.body !== undefined && { method: 'POST', body: JSON.stringify(init.body) }),
      ...(init.form !== undefined && { method: 'POST', body: init.form }),
      ...(init.method !== undefined && { method: init.method }),
      headers: {
        authorization: `Bearer ${account.accessToken}`,
        'content-type': 'application/json',
        ...init.headers,
      },
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') && text !== '';
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : null,
    };
  };
  return {
    sandbox,
    account,
    send,
    query: (soql, headers = {}) => send(`${API}/query/?q=${encodeURIComponent(soql)}`, { headers }),
    token: (form, headers = {}) =>
      send('/services/oauth2/token', {
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        form: new URLSearchParams(form),
      }),
    advance(milliseconds) {
      now += milliseconds;
    },
  };
}

export const API = '/services/data/v66.0';

export interface Client {
  readonly sandbox: Sandbox;
  readonly account: SalesforceAccount;
  send(path: string, init?: Init): Promise<SandboxResponse>;
  query(soql: string, headers?: Record<string, string>): Promise<SandboxResponse>;
  token(form: Record<string, string>, headers?: Record<string, string>): Promise<SandboxResponse>;
  advance(milliseconds: number): void;
}

interface Init {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
  readonly form?: URLSearchParams;
}

interface SandboxResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: any JSON response; the tests assert its content
  readonly body: any;
}
