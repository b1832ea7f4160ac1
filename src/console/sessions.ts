import { randomUUID } from 'node:crypto';
import { CrossbookError } from '../domain/errors.ts';
import {
  APPLICATION_SESSION_MS,
  type AuditStore,
  type Operator,
  SESSION_MS,
} from '../domain/operator.ts';
import type { Signer } from '../domain/page.ts';
import { createTtlCache } from '../lib/cache.ts';
import { isSame } from '../lib/digest.ts';
import type { HttpHeaders } from '../lib/http-message.ts';
import { isRecord, parseJson } from '../lib/json.ts';

/**
 * Sessions of the console. A session is a signed cookie, bound to the hash of the admin key, so that a new key ends all
 * of them. Only sign-outs are stored.
 */
export function createSessions({ signer, toCsrfToken, keyHash, ...options }: SessionOptions) {
  const { audit, clock, isSecure } = options;
  const cookies = signer.bind(() => `console session of ${keyHash}`);
  const name = isSecure ? '__Host-crossbook-console' : 'crossbook-console';
  const attributes = `Path=/; HttpOnly; SameSite=Strict${isSecure ? '; Secure' : ''}`;
  /** Sign-outs by other processes are noticed within five seconds, as revoked keys are. */
  const active = createTtlCache<true>({ maxAgeMs: 5_000, maxEntries: 1_000, now: clock.now });

  return {
    /** A new session, with the header that sets its cookie. */
    begin() {
      const sessionId = randomUUID();
      const until = clock.wall() + SESSION_MS;
      const cookie = cookies.sign(JSON.stringify({ sessionId, until }));
      const header = `${name}=${cookie}; ${attributes}; Max-Age=${SESSION_MS / 1_000}`;
      return { session: toSession({ sessionId, until, cookie }), header };
    },

    /** The header that removes the cookie. */
    toRemoval: () => `${name}=; ${attributes}; Max-Age=0`,

    /** Forgets that the session was active: it has just been ended. */
    end: (session: Session) => active.forget(session.sessionId),

    find,

    /** Throws UNAUTHORIZED without a session, and FORBIDDEN without its CSRF token. */
    async require(headers: Headers): Promise<Session> {
      const session = await find(headers);
      if (!session) throw signedOut();
      const token = headers.get('x-csrf-token') ?? '';
      if (!isSameOrigin(headers) || !isSame(token, session.csrfToken)) throw forged();
      return session;
    },

    /** A session for one application: valid with the cookie of this session only. */
    signApplication({ cookie }: Session, applicationId: string) {
      const until = clock.wall() + APPLICATION_SESSION_MS;
      const payload = JSON.stringify({ applicationId, until });
      const token = `${PREFIX}${signer.bind(() => toBinding(cookie)).sign(payload)}`;
      return { token, expiresAt: new Date(until).toISOString() };
    },

    /** The application of such a session. Throws UNAUTHORIZED. */
    async requireApplication(token: string, headers: Headers) {
      const session = await find(headers);
      if (!session) throw signedOut();
      if (!isSameOrigin(headers)) throw forged();
      const payload = signer
        .bind(() => toBinding(session.cookie))
        .verify(token.slice(PREFIX.length));
      const { applicationId, until } = readPayload(payload);
      if (typeof applicationId !== 'string' || !isFuture(until)) throw applicationEnded();
      return { applicationId, operator: { sessionId: session.sessionId } };
    },
  };

  /** Undefined: no cookie, or it was not signed here, has expired, or was signed out. */
  async function find(headers: Headers): Promise<Session | undefined> {
    const cookie = readCookie(headers.get('cookie'), name);
    const { sessionId, until } = readPayload(cookie && cookies.verify(cookie));
    if (typeof sessionId !== 'string' || typeof until !== 'number' || !isFuture(until))
      return undefined;
    const isActive = await active.find(sessionId, async () =>
      (await audit.isSignedOut(sessionId)) ? undefined : true,
    );
    return isActive && cookie !== undefined ? toSession({ sessionId, until, cookie }) : undefined;
  }

  function toSession({ until, ...session }: SignedSession): Session {
    return {
      ...session,
      expiresAt: new Date(until).toISOString(),
      csrfToken: toCsrfToken(session.cookie),
    };
  }

  function isFuture(until: unknown): boolean {
    return typeof until === 'number' && clock.wall() < until;
  }
}

/** The prefix of the tokens of application sessions, which are sent as bearer tokens. */
export const PREFIX = 'cbc_';

function toBinding(cookie: string): string {
  return `console application of ${cookie}`;
}

function readPayload(payload: string | undefined): Readonly<Record<string, unknown>> {
  const value = payload === undefined ? undefined : parseJson(payload);
  return isRecord(value) ? value : {};
}

/** Undefined where it is missing, or sent twice: another host of the domain may have set one. */
function readCookie(header: string | null, name: string): string | undefined {
  const values = (header ?? '').split(';').flatMap((pair) => {
    const [key = '', value = ''] = pair.trim().split('=', 2);
    return key === name ? [value] : [];
  });
  return values.length === 1 ? values[0] : undefined;
}

/**
 * Whether a page of this origin sent the request. Browsers say so by `Sec-Fetch-Site`, older ones by `Origin`; a client
 * that is no browser says neither.
 */
export function isSameOrigin(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site');
  if (site !== null) return site === 'same-origin';
  const origin = headers.get('origin');
  if (origin === null) return true;
  return URL.canParse(origin) && new URL(origin).host === headers.get('host');
}

function signedOut(): CrossbookError {
  return new CrossbookError('UNAUTHORIZED', 'The session has ended: sign in to the console again.');
}

function applicationEnded(): CrossbookError {
  return new CrossbookError(
    'UNAUTHORIZED',
    'The session for this application has ended: request a new one at /console/application_sessions.',
  );
}

export function forged(): CrossbookError {
  return new CrossbookError(
    'FORBIDDEN',
    'The request was not sent by a page of this console: reload the page.',
  );
}

type Headers = Pick<HttpHeaders, 'get'>;

interface SignedSession extends Operator {
  readonly until: number;
  /** The value of the cookie. */
  readonly cookie: string;
}

export interface Session extends Operator {
  readonly cookie: string;
  readonly expiresAt: string;
  readonly csrfToken: string;
}

export interface SessionOptions {
  readonly signer: Signer;
  /** A keyed hash. */
  toCsrfToken(cookie: string): string;
  /** The hash of the admin key. */
  readonly keyHash: string;
  readonly audit: Pick<AuditStore, 'isSignedOut'>;
  readonly clock: { now(): number; wall(): number };
  /** Whether browsers reach the console by https. */
  readonly isSecure: boolean;
}
