import type { HubSpotAccount, Sandbox } from '../../../src/sandbox/open-sandbox.ts';

/** Asks an account of the imitated HubSpot as plainly as can be. */
export function createAsk({ hubspot }: Sandbox, account: HubSpotAccount): Ask {
  return async (path, body, token = account.accessToken) => {
    const response = await fetch(`${hubspot.origin}${path}`, {
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      redirect: 'manual',
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') && text !== '';
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
  };
}

/** A clock that moves only when it is told to. */
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

export function ids(answer: Answered): readonly string[] {
  return answer.body.results.map((result: { id: string }) => result.id);
}

export type Ask = (path: string, body?: unknown, token?: string) => Promise<Answered>;

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into any answer, and fails where it is another.
  readonly body: any;
}

interface Clock {
  now(): number;
  pass(milliseconds: number): void;
}
