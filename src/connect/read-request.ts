import { CrossbookError } from '../domain/errors.ts';
import type { HttpRequest } from '../lib/http-message.ts';
import type { Callback } from '../usecases/finish-authorization.ts';
import type { FlowCookie } from '../usecases/start-authorization.ts';

/** What the customer chose on a link's page. */
export function readForm(request: HttpRequest): ConnectForm {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    throw new CrossbookError(
      'UNSUPPORTED_MEDIA_TYPE',
      'A form is sent as application/x-www-form-urlencoded.',
    );
  }
  const body = request.readBody(MAX_BYTES);
  if (!body) throw new CrossbookError('PAYLOAD_TOO_LARGE', `The form is larger than ${MAX_BYTES} bytes.`);
  const form = new URLSearchParams(body.toString('utf8'));
  const typed = form.get('own_login')?.trim() ?? '';
  return { provider: form.get('provider') ?? '', loginUrl: typed || form.get('login') || null, typed };
}

/**
 * Was the form sent from a page of ours? Browsers say so in `Sec-Fetch-Site`, and older ones in `Origin`, which is `null`
 * where no referrer is sent.
 */
export function isFromOwnPage({ headers }: Pick<HttpRequest, 'headers'>, publicUrl: string): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = headers.get('origin');
  return origin === null || origin === 'null' || origin === publicUrl;
}

const MAX_BYTES = 8 * 1024;

/** Undefined where a parameter comes twice: what one reader takes for the state, another may not. */
export function readCallback(query: URLSearchParams): Omit<Callback, 'provider' | 'cookies'> | undefined {
  const names = ['state', 'code', 'error', 'error_description'];
  if (names.some((name) => query.getAll(name).length > 1)) return undefined;
  return {
    state: query.get('state'),
    code: query.get('code'),
    error: query.get('error')?.slice(0, LONGEST) ?? null,
    errorDescription: query.get('error_description')?.slice(0, LONGEST) ?? null,
  };
}

/** Of what is only compared with known words. */
const LONGEST = 500;

/**
 * One cookie for each flow, which no script reads and no other site sends. Over https it has the prefix `__Host-`, which
 * keeps other hosts of the domain from setting it; browsers refuse that prefix over http, where only loopback is allowed.
 */
export function createCookies(isHttps: boolean): Cookies {
  const prefix = isHttps ? '__Host-crossbook-connect-' : 'crossbook-connect-';
  const attributes = isHttps ? 'Path=/; Secure' : 'Path=/connect';
  return {
    read(header) {
      const found: [string, string][] = [];
      for (const pair of (header ?? '').split(';')) {
        const [name = '', value = ''] = pair.trim().split('=', 2);
        if (name.startsWith(prefix) && VALUE.test(value)) found.push([name.slice(prefix.length), value]);
      }
      // Browsers send the oldest first, and the oldest are those that were left unfinished.
      return new Map(found.slice(-MAX_COOKIES));
    },
    write({ flow, value, expiresAt }, now) {
      const seconds = Math.max(0, Math.ceil((expiresAt.getTime() - now) / 1_000));
      return `${prefix}${flow}=${value}; ${attributes}; HttpOnly; SameSite=Lax; Max-Age=${seconds}`;
    },
  };
}

/** A browser with more of them has more tabs than a person. */
const MAX_COOKIES = 20;
const VALUE = /^[\w-]{43}$/;

interface ConnectForm {
  readonly provider: string;
  /** What was typed goes before what was chosen. Null: neither. */
  readonly loginUrl: string | null;
  readonly typed: string;
}

interface Cookies {
  /** Value by name of the flow. */
  read(header: string | null): ReadonlyMap<string, string>;
  /** The header that sets it. */
  write(cookie: FlowCookie, now: number): string;
}
