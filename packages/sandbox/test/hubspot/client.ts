import type { HubSpotAccount, Sandbox } from '../../src/open-sandbox.ts';

/** Sends requests to an account of the simulated HubSpot with a bare client. */
export function createClient({ hubspot }: Sandbox, account: HubSpotAccount): Send {
  return async (path, body, token = account.accessToken) => {
    const response = await fetch(`${hubspot.origin}${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      redirect: 'manual',
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson =
      response.headers.get('content-type')?.startsWith('application/json') && text !== '';
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
  };
}

/** A clock that advances only by hand. */
export function createClock(start = Date.UTC(2026, 10, 20, 12)): Clock {
  let time = start;
  return {
    now: () => time,
    pass: (milliseconds) => {
      time += milliseconds;
    },
  };
}

export const SEARCH = '/crm/v3/objects/contacts/search';
export const BATCH_READ = '/crm/v3/objects/contacts/batch/read';

export function byFilter(propertyName: string, operator: string, value: unknown): object {
  const key = Array.isArray(value) ? 'values' : 'value';
  return { filterGroups: [{ filters: [{ propertyName, operator, [key]: value }] }] };
}

export function ids(answer: SandboxResponse): readonly string[] {
  return answer.body.results.map((result: { id: string }) => result.id);
}

export type Send = (path: string, body?: unknown, token?: string) => Promise<SandboxResponse>;

export interface SandboxResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any response, and fails when its shape differs.
  readonly body: any;
}

interface Clock {
  now(): number;
  pass(milliseconds: number): void;
}
