import type { RemoteCause } from './errors.ts';
import type { RemoteAnswer } from './remote.ts';

const MAX_BODY_BYTES = 16 * 1024;

/** Headers that help to understand an answer. A list of what is shown is safer than a list of what is hidden. */
const SHOWN_HEADERS =
  /^(content-type|content-length|date|retry-after|server|sforce-limit-info|cf-ray|x-hubspot-.+|x-trace|x-request-id|x-sfdc-.+)$/;

/** What an error may show of a provider's answer: the body cut, the headers cleaned. */
export function toRemoteCause({ status, headers, body }: RemoteAnswer): RemoteCause {
  return {
    code: status,
    body: readBody(body),
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => SHOWN_HEADERS.test(name))),
  };
}

function readBody(body: string): unknown {
  const bytes = Buffer.from(body);
  if (bytes.length > MAX_BODY_BYTES) return bytes.subarray(0, MAX_BODY_BYTES).toString('utf8');
  try {
    return JSON.parse(body) as unknown;
  } catch {
    return body;
  }
}
