import { CrossbookError } from '../domain/errors.ts';
import type { HttpRequest } from '../lib/http-message.ts';

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

export interface ConnectForm {
  readonly provider: string;
  /** What was typed goes before what was chosen. Null: neither. */
  readonly loginUrl: string | null;
  readonly typed: string;
}
