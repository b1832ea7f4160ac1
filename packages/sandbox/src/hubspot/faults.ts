import type { Fault, NamedFault } from '../faults.ts';
import { expired } from './authenticate.ts';
import { COOKIE } from './cookie.ts';
import { HubSpotError, notFound } from './errors.ts';
import { dailyRefusal, searchRefusal, tenSecondlyRefusal } from './rate-limits.ts';
import { CONTACTS_SCOPE, missingScopes } from './scopes.ts';

const GATEWAY_PAGE =
  '<html>\n<head><title>502 Bad Gateway</title></head>\n<body>cloudflare</body>\n</html>\n';

const RATE_LIMITED_PART = {
  kind: 'answer',
  body: {
    status: 'COMPLETE',
    results: [],
    numErrors: 1,
    errors: [
      {
        status: 'error',
        category: 'RATE_LIMITS',
        message: 'You have reached your secondly limit.',
      },
    ],
  },
} as const;

/** HubSpot's named faults. */
export const HUBSPOT_FAULTS: Readonly<Record<string, NamedFault>> = {
  'expired-token': (now) => of(expired(now - 90_000, now)),
  'missing-scopes': of(missingScopes(CONTACTS_SCOPE)),
  'missing-scopes-in-context': of(
    new HubSpotError(403, {
      message: "This app hasn't been granted all required scopes to make this call.",
      context: { requiredGranularScopes: [CONTACTS_SCOPE] },
      category: 'MISSING_SCOPES',
    }),
  ),
  'refresh-refused': oauth('BAD_REFRESH_TOKEN', 'invalid_grant'),
  'refresh-refused-for-an-unknown-reason': oauth('BAD_SOMETHING', 'invalid_grant'),
  'portal-gone': oauth('BAD_HUB', 'invalid_grant'),
  'client-unknown': oauth('BAD_CLIENT_ID', 'invalid_client'),
  'not-found': of(notFound()),
  conflict: of(new HubSpotError(409, { message: 'Contact already exists.', category: 'CONFLICT' })),
  'uri-too-long': {
    kind: 'answer',
    status: 414,
    body: '<html><h1>414 Request-URI Too Large</h1></html>',
  },
  locked: of(
    new HubSpotError(423, { message: 'The resource is locked for a moment.', category: 'LOCKED' }),
  ),
  'rate-limit-search': of(searchRefusal()),
  'rate-limit-secondly-of-old': of(
    new HubSpotError(429, {
      message: 'You have reached your secondly limit.',
      errorType: 'RATE_LIMIT',
      policyName: 'SECONDLY',
    }),
  ),
  'rate-limit-ten-secondly': of(tenSecondlyRefusal()),
  'rate-limit-daily': of(dailyRefusal()),
  'rate-limit-retry-after': of(tenSecondlyRefusal(), { 'retry-after': '3' }),
  'rate-limit-retry-after-date': (now) => of(tenSecondlyRefusal(), inThreeSeconds(now)),
  // A server clock that is an hour fast.
  'rate-limit-clock-ahead': (now) => of(tenSecondlyRefusal(), inThreeSeconds(now + 3_600_000)),
  // A partly failed batch: the rate limited part must not be taken for missing records.
  'part-rate-limited': { ...RATE_LIMITED_PART, status: 207 },
  'part-rate-limited-in-a-200': { ...RATE_LIMITED_PART, status: 200 },
  'rate-limit-cloudflare': {
    kind: 'answer',
    status: 429,
    body: 'error code: 1015',
    headers: { 'content-type': 'text/plain; charset=UTF-8' },
  },
  migrating: of(
    new HubSpotError(477, { message: 'The account is being migrated to another data center.' }),
    {
      'retry-after': '120',
    },
  ),
  'server-error': of(new HubSpotError(500, { message: 'internal error' })),
  'bad-gateway': { kind: 'answer', status: 502, body: GATEWAY_PAGE },
  unavailable: {
    kind: 'answer',
    status: 503,
    body: GATEWAY_PAGE.replace('502 Bad Gateway', '503'),
  },
  'gateway-timeout': {
    kind: 'answer',
    status: 504,
    body: GATEWAY_PAGE.replace('502 Bad Gateway', '504'),
  },
  'origin-down': {
    kind: 'answer',
    status: 521,
    body: GATEWAY_PAGE.replace('502 Bad Gateway', '521'),
  },
  'origin-timeout': {
    kind: 'answer',
    status: 524,
    body: GATEWAY_PAGE.replace('502 Bad Gateway', '524'),
  },
  'wrong-shape': { kind: 'answer', status: 200, body: { total: 'many', results: { id: 501 } } },
  redirect: {
    kind: 'answer',
    status: 302,
    body: '',
    headers: { location: 'https://attacker.example/crm/v3/objects/contacts/search' },
  },
};

function inThreeSeconds(now: number): Readonly<Record<string, string>> {
  return { date: new Date(now).toUTCString(), 'retry-after': new Date(now + 3_000).toUTCString() };
}

/** The token endpoint mixes two error formats: HubSpot's status and OAuth's error. */
function oauth(status: string, error: string): Fault {
  return of(new HubSpotError(400, { status, error, message: 'missing or invalid refresh token' }));
}

function of({ reply }: HubSpotError, headers: Readonly<Record<string, string>> = {}): Fault {
  const correlationId = '00000000-0000-4000-8000-00000000fa17';
  return {
    kind: 'answer',
    status: reply.status,
    body: { ...reply.body, correlationId },
    headers: { 'x-hubspot-correlation-id': correlationId, 'set-cookie': COOKIE, ...headers },
  };
}
