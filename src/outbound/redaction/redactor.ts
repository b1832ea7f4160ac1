import { inspect } from 'node:util';
import { CrossbookError, type RemoteCause } from '../../domain/errors.ts';
import type { ProviderResponse } from '../../domain/remote.ts';
import { RemoteFailure } from '../../domain/remote-failure.ts';
import { parseJson } from '../../lib/read-json.ts';
import { closeJson, cutText } from './cut-text.ts';
import { redactJson, redactText, WITHHELD } from './redact-json.ts';
import { createSecretMatcher, type SecretMatcher } from './secret-matcher.ts';

/**
 * The one place where words of a provider become words of ours: what an error, a log line or a trace shows of an answer
 * is made here, by somebody who knows the connection's secrets.
 */
export function createRedactor(secrets: () => readonly string[]): Redactor {
  /** Words of our own come again thousands of times where calls are refused: those that were looked through. */
  const plain = new Set<string>();
  let of: readonly string[] = [];

  return {
    toError(thrown) {
      const isOwn = thrown instanceof CrossbookError;
      if (isOwn && of === secrets() && plain.has(thrown.message)) return thrown;
      const matcher = createSecretMatcher(secrets());
      if (thrown instanceof RemoteFailure) return toCrossbookError(thrown, matcher);
      if (isOwn) return matcher.matches(thrown.message) ? withhold(thrown) : keep(thrown);
      // A bug: its message may quote what it stumbled over.
      return matcher.matches(inspect(thrown).slice(0, MAX_BODY_BYTES)) ? new Error(WITHHELD) : thrown;
    },
  };

  function keep(error: CrossbookError): CrossbookError {
    if (of !== secrets() || plain.size >= MAX_PLAIN) plain.clear();
    of = secrets();
    plain.add(error.message);
    return error;
  }
}

function toCrossbookError({ code, message, answer, retryAfterMs }: RemoteFailure, matcher: SecretMatcher) {
  const detail = matcher.matches(message) ? `The provider answered ${answer.status}: ${WITHHELD}` : message;
  return new CrossbookError(code, detail, { remote: toRemoteCause(answer, matcher), retryAfterMs });
}

function withhold(error: CrossbookError): CrossbookError {
  const { code, remote, retryAfterMs, origin } = error;
  return new CrossbookError(code, WITHHELD, { remote, retryAfterMs, origin });
}

function toRemoteCause({ status, headers, body }: ProviderResponse, matcher: SecretMatcher): RemoteCause {
  const shown = Object.entries(headers).filter(([name]) => !SECRET_HEADERS.test(name));
  const redacted = redactJson(Object.fromEntries(shown), matcher);
  return {
    code: status,
    body: redactBody(body, matcher),
    headers: typeof redacted === 'object' ? (redacted as RemoteCause['headers']) : {},
  } as RemoteCause;
}

/** JSON stays JSON, even where it is cut. */
function redactBody(body: string, matcher: SecretMatcher): unknown {
  const { text, note } = cutText(body, MAX_BODY_BYTES);
  const json = parseJson(note === undefined ? text : closeJson(text, note));
  if (json !== undefined) return redactJson(json, matcher);
  const redacted = redactText(text, matcher);
  return note === undefined ? redacted : `${redacted} ${note}`;
}

const MAX_BODY_BYTES = 16 * 1024;
const MAX_PLAIN = 20;

/** By name, whatever their value: cookies, and what proves a right to something. */
const SECRET_HEADERS =
  /cookie|authori[sz]ation|authentication-info|token|secret|session|api-?key|password|signature/;

export interface Redactor {
  /** Whatever an adapter or a transport has thrown, as it may be shown. */
  toError(thrown: unknown): unknown;
}
