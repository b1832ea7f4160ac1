import type { Fault, NamedFault } from '../faults.ts';
import { missingScope, PipedriveError, unauthorized } from './errors.ts';
import { burstRefusal, CLOUDFLARE_PAGE, dailyRefusal } from './rate-limits.ts';

const SPENT = {
  'x-ratelimit-limit': '80',
  'x-ratelimit-remaining': '79',
  'x-daily-ratelimit-token-limit': '30000',
  'x-daily-ratelimit-token-remaining': '0',
};

/** Pipedrive's named faults. */
export const PIPEDRIVE_FAULTS: Readonly<Record<string, NamedFault>> = {
  'token-refused': of(unauthorized()),
  'missing-scope': of(missingScope()),
  'plan-cap': of(new PipedriveError(403, 'feature not available', { code: 'feature_capping' })),
  'company-closed': of(new PipedriveError(402, 'Company is not open')),
  'refresh-refused': oauth('invalid_grant', 'Invalid grant: refresh token is invalid'),
  'client-unknown': oauth('invalid_client', 'Invalid client: client is invalid', 401),
  'rate-limit-burst': of(burstRefusal(), { 'retry-after': '2' }),
  'rate-limit-without-headers': of(burstRefusal()),
  'rate-limit-daily': (now) =>
    of(dailyRefusal(), {
      ...SPENT,
      // At noon: the budget of the day ends twelve hours later.
      date: new Date(Math.floor(now / 86_400_000) * 86_400_000 + 43_200_000).toUTCString(),
    }),
  'blocked-by-cloudflare': { kind: 'answer', status: 403, body: CLOUDFLARE_PAGE },
  'not-found': of(new PipedriveError(404, 'Unknown method')),
  'server-error': of(new PipedriveError(500, 'Internal error')),
  'not-a-success': of(new PipedriveError(200, 'Something went wrong')),
  'bad-gateway': { kind: 'answer', status: 502, body: '<html><h1>502 Bad Gateway</h1></html>' },
  unavailable: { kind: 'answer', status: 503, body: '<html><h1>503</h1></html>' },
};

function oauth(error: string, message: string, status = 400): Fault {
  return { kind: 'answer', status, body: { success: false, error, message } };
}

function of({ reply }: PipedriveError, headers: Readonly<Record<string, string>> = {}): Fault {
  return {
    kind: 'answer',
    status: reply.status,
    body: reply.body,
    headers: { 'set-cookie': 'pipe-session=cookie-of-the-sandbox', ...headers },
  };
}
