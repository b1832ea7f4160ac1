import { CrossbookError } from '../../domain/errors.ts';
import type { HttpRequest } from '../../lib/http-message.ts';

/** A form's fields. */
export function readPairs(request: HttpRequest): URLSearchParams {
  const body = request.readBody(MAX_BYTES);
  if (!body) throw new CrossbookError('PAYLOAD_TOO_LARGE', `The form is larger than ${MAX_BYTES} bytes.`);
  return new URLSearchParams(body.toString('utf8'));
}

/** Browsers say so in `Sec-Fetch-Site`, and older ones in `Origin`. Whatever says neither is no browser, and has the API. */
export function isFromSameOrigin({ headers, url }: Pick<HttpRequest, 'headers' | 'url'>): boolean {
  const site = headers.get('sec-fetch-site');
  return site === null ? headers.get('origin') === url.origin : site === 'same-origin';
}

const MAX_BYTES = 4 * 1024;
