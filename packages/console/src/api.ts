import type { RecordType } from './parts/names.ts';

/** The path below which the server is reached: empty, or such as `/crossbook`. */
export const BASE =
  document.querySelector<HTMLMetaElement>('meta[name=base-path]')?.content.replace('%BASE%', '') ??
  '';

/** A request that was refused, or that failed. */
export class ApiError extends Error {
  readonly id: string | undefined;
  readonly code: string;
  readonly status: number;

  constructor(status: number, { id, code, detail }: ErrorBody) {
    super(detail);
    this.id = id;
    this.code = code;
    this.status = status;
  }
}

/** Requests of one session. `onEnd` is called when it has ended. */
export function createApi({ csrfToken, prefixes, onEnd }: ApiOptions) {
  const applications = new Map<string, ApplicationSession>();

  return {
    /** The admin API: installations, applications, keys, and what the console shows of all of them. */
    admin: <Body>(method: string, path: string, body?: unknown) =>
      send<Body>(method, `/admin${path}`, { body, headers: { 'x-csrf-token': csrfToken } }),

    /** The REST API, for one application. */
    async of<Body>(
      applicationId: string,
      method: string,
      path: string,
      { body, headers }: Pick<Sent, 'body' | 'headers'> = {},
    ): Promise<Body> {
      const token = await openApplication(applicationId);
      const sent = { body, headers: { ...headers, authorization: `Bearer ${token}` } };
      return send<Body>(method, withPrefix(path), sent);
    },

    async signOut(): Promise<void> {
      await send('DELETE', '/console/session', { headers: { 'x-csrf-token': csrfToken } });
      onEnd('');
    },
  };

  /** A session of fifteen minutes, which is renewed a minute before its end. */
  async function openApplication(id: string): Promise<string> {
    const known = applications.get(id);
    if (known && known.renewAt > performance.now()) return known.token;
    const body = { application_id: id };
    const { token } = await send<{ token: string }>('POST', '/console/application_sessions', {
      body,
      headers: { 'x-csrf-token': csrfToken },
    });
    applications.set(id, { token, renewAt: performance.now() + RENEW_AFTER_MS });
    return token;
  }

  async function send<Body>(method: string, path: string, sent: Sent): Promise<Body> {
    try {
      return await request<Body>(method, path, sent);
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) onEnd(error.message);
      throw error;
    }
  }

  function withPrefix(path: string): string {
    const [, first = ''] = path.split('/');
    return `${prefixes[first] ?? ''}${path}`;
  }
}

const RENEW_AFTER_MS = 14 * 60_000;

export interface SessionFacts {
  readonly session: { readonly csrf_token: string; readonly expires_at: string } | null;
  readonly version?: string;
  /** Whether records may be looked up. */
  readonly contacts?: boolean;
  readonly providers?: readonly ProviderFacts[];
  readonly prefixes?: Readonly<Record<string, string | undefined>>;
}

export interface ProviderFacts {
  readonly name: string;
  /** The vendor's spelling. */
  readonly title: string;
  readonly can_connect: boolean;
  /** The types of records that can be read, with the names of the conditions by which they can be searched. */
  readonly records: readonly { readonly type: RecordType; readonly filters: readonly string[] }[];
}

export const readSession = () => request<SessionFacts>('GET', '/console/session', {});
export const signIn = (key: string) =>
  request<SessionFacts>('POST', '/console/session', { body: { key } });
export const readErrorCodes = () =>
  request<Readonly<Record<string, ErrorFacts>>>('GET', '/console/errors', {});

async function request<Body>(
  method: string,
  path: string,
  { body, headers = {} }: Sent,
): Promise<Body> {
  const response = await fetch(`${BASE}${path}`, {
    method,
    credentials: 'same-origin',
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ApiError(0, { code: 'UNREACHABLE', detail: 'The server cannot be reached.' });
  });
  const text = await response.text();
  const read = parse(text);
  if (response.ok) return read as Body;
  const [first] = (read as { errors?: ErrorBody[] } | undefined)?.errors ?? [];
  const unknown = { code: 'UNKNOWN', detail: `The server responded with HTTP ${response.status}.` };
  throw new ApiError(response.status, first ?? unknown);
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A query of the parameters that have a value. */
export function toQuery(parameters: Readonly<Record<string, string | number | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, String(value)]],
  );
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

export type Api = ReturnType<typeof createApi>;

interface ApiOptions {
  readonly csrfToken: string;
  /** Path prefixes of groups of operations, by the first part of their paths. */
  readonly prefixes: Readonly<Record<string, string | undefined>>;
  onEnd(reason: string): void;
}

interface ApplicationSession {
  readonly token: string;
  readonly renewAt: number;
}

interface Sent {
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

interface ErrorBody {
  readonly id?: string;
  readonly code: string;
  readonly detail: string;
}

export interface ErrorFacts {
  readonly status: number;
  readonly title: string;
  readonly when: string;
}
