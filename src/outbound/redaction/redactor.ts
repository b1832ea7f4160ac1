import { StringDecoder } from 'node:string_decoder';
import { inspect } from 'node:util';
import type { Credentials } from '../../domain/connection.ts';
import { CrossbookError, type RemoteCause } from '../../domain/errors.ts';
import { type ProviderResponse, RemoteFailure } from '../../domain/remote.ts';
import { parseJson } from '../../lib/json.ts';
import { createSecretMatcher, type SecretMatcher } from './secret-matcher.ts';

/**
 * Makes whatever an adapter or a transport has thrown an error that may be shown: what an error, a log line or a trace shows of
 * a provider's answer is made here and nowhere else, where the connection's secrets are known.
 */
export function createRedactor(secrets: () => readonly string[]): (thrown: unknown) => unknown {
  /** Messages of our own without a secret: where calls are refused, the same ones come thousands of times. */
  const plain = new Set<string>();
  let known: readonly string[] = [];

  return (thrown) => {
    const isOwn = thrown instanceof CrossbookError;
    if (known !== secrets()) plain.clear();
    if (isOwn && plain.has(thrown.message)) return thrown;
    known = secrets();
    const matcher = createSecretMatcher(known);
    if (thrown instanceof RemoteFailure) return toCrossbookError(thrown, matcher);
    if (!isOwn) {
      // A bug: its message may quote what it stumbled over.
      return matcher.matches(inspect(thrown).slice(0, MAX_SHOWN_BYTES)) ? new Error(WITHHELD) : thrown;
    }
    if (matcher.matches(thrown.message)) return withhold(thrown);
    if (plain.size >= MAX_PLAIN) plain.clear();
    plain.add(thrown.message);
    return thrown;
  };
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
  const { text, note } = cutText(body, MAX_SHOWN_BYTES);
  const json = parseJson(note === undefined ? text : closeJson(text, note));
  if (json !== undefined) return redactJson(json, matcher);
  const redacted = redactText(text, matcher);
  return note === undefined ? redacted : `${redacted} ${note}`;
}

const MAX_SHOWN_BYTES = 16 * 1024;
const MAX_PLAIN = 20;

/** By name, whatever their value: cookies, and what proves a right to something. */
const SECRET_HEADERS =
  /cookie|authori[sz]ation|authentication-info|token|secret|session|api-?key|password|signature/;

/** The beginning of a text, cut at a character; `note` says so. Undefined: nothing was cut off. */
function cutText(
  text: string,
  maxBytes: number,
): { readonly text: string; readonly note: string | undefined } {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return { text, note: undefined };
  const start = Buffer.from(text.slice(0, maxBytes)).subarray(0, maxBytes);
  // It keeps back the beginning of a character.
  const whole = new StringDecoder('utf8').write(start);
  return { text: whole, note: `[cut: the first ${Buffer.byteLength(whole)} of ${bytes} bytes]` };
}

/**
 * The beginning of a JSON text as a whole one: what is open is closed, and the note stands where it was cut. What is no
 * JSON stays something that is none.
 */
function closeJson(start: string, note: string): string {
  const open: ('}' | ']')[] = [];
  // Up to here everything is complete but for the open brackets, or for the string that it ends in.
  let whole = 0;
  let isKey = false;
  let isInValue = false;
  for (const { 0: token, 1: quote, index } of start.matchAll(JSON_TOKEN)) {
    const end = index + token.length;
    isInValue = quote === '' && !isKey;
    if (quote !== undefined) {
      if (!isKey) whole = end;
    } else if (token === ':') isKey = false;
    else if (token === ',') {
      whole = index;
      isKey = open.at(-1) === '}';
    } else {
      whole = end;
      if (token === '{') open.push('}');
      else if (token === '[') open.push(']');
      else open.pop();
      isKey = token === '{';
    }
  }
  const rest = isInValue ? ` ${note}"` : toMember(start.charAt(whole - 1), note, open.at(-1));
  return `${start.slice(0, whole)}${rest}${open.reverse().join('')}`;
}

/** A string as far as it is complete, with the quote that ends it, if there is one; or what stands between values. */
const JSON_TOKEN = /"(?:[^"\\]|\\u[0-9a-f]{4}|\\[^u])*("?)|[{}[\],:]/gi;

function toMember(before: string, note: string, bracket: string | undefined): string {
  const comma = before === '{' || before === '[' ? '' : ',';
  return bracket === '}' ? `${comma}"[cut]":"${note}"` : `${comma}"${note}"`;
}

const WITHHELD = '[withheld]';

function redactText(text: string, matcher: SecretMatcher): string {
  return matcher.matches(text) ? WITHHELD : text;
}

/**
 * Withholds each key, string and number that shares enough with a secret, and what names itself one; and everything where
 * a secret is spread over neighbours, because none of them shows which.
 */
function redactJson(json: unknown, matcher: SecretMatcher): unknown {
  const { all, values } = collect(json, { all: [], values: [] });
  if (!matcher.matches(join(all)) && !matcher.matches(join(values))) return rebuild(json, () => false);
  if (isSpread(all, matcher) || isSpread(values, matcher)) return WITHHELD;
  return rebuild(json, matcher.matches);
}

/** Together they share more with a secret than each by itself. */
function isSpread(texts: readonly string[], { count }: SecretMatcher): boolean {
  return count(join(texts)) > texts.reduce((sum, text) => sum + count(text), 0);
}

/** A line break does not count in any reading, and no escape reaches over it. */
function join(texts: readonly string[]): string {
  return texts.join('\n');
}

function collect(json: unknown, into: Collected, depth = 0): Collected {
  if (depth > MAX_DEPTH) return into;
  if (typeof json === 'string' || typeof json === 'number') {
    into.all.push(String(json));
    into.values.push(String(json));
  } else if (Array.isArray(json)) for (const item of json) collect(item, into, depth + 1);
  else if (typeof json === 'object' && json !== null) {
    for (const [key, value] of Object.entries(json)) {
      into.all.push(key);
      collect(value, into, depth + 1);
    }
  }
  return into;
}

function rebuild(json: unknown, isSecret: (text: string) => boolean, depth = 0): unknown {
  if (typeof json === 'string' || typeof json === 'number') return isSecret(String(json)) ? WITHHELD : json;
  if (typeof json !== 'object' || json === null) return json;
  if (depth > MAX_DEPTH) return TOO_DEEP;
  if (Array.isArray(json)) return json.map((item) => rebuild(item, isSecret, depth + 1));
  const members = Object.entries(json).map(([key, value]) => [
    isSecret(key) ? WITHHELD : key,
    NAMED.test(key) && typeof value === 'string' ? WITHHELD : rebuild(value, isSecret, depth + 1),
  ]);
  return Object.fromEntries(members);
}

const MAX_DEPTH = 64;
const TOO_DEEP = `[cut: deeper than ${MAX_DEPTH} levels]`;

/** A token that has just been made is not among the known secrets yet. */
const NAMED =
  /^(?:(?:access|refresh|id|session)[_-]?token|token|client[_-]?secret|password|authorization|session[_-]?id)$/i;

interface Collected {
  /** Keys and values, in the order of the text. */
  readonly all: string[];
  readonly values: string[];
}

/** What must never be shown of one connection: what is secret now, and what was. */
export function createConnectionSecrets(publicPrefix: RegExp | undefined) {
  const secrets = new Set<string>();
  let list: readonly string[] = [];
  return {
    add(...given: readonly string[]): void {
      for (const secret of given) {
        const hidden = publicPrefix ? secret.replace(publicPrefix, '') : secret;
        // Moved to the end: the one that was not used for the longest time is dropped first.
        secrets.delete(hidden);
        if (hidden !== '') secrets.add(hidden);
      }
      for (const oldest of secrets) {
        if (secrets.size <= MAX_KEPT) break;
        secrets.delete(oldest);
      }
      list = [...secrets];
    },
    /** The same list until there is another secret. */
    list: () => list,
  };
}

export function secretsOf(credentials: Credentials): readonly string[] {
  if (credentials.type === 'token') return [credentials.value];
  const { accessToken, refreshToken } = credentials;
  return refreshToken === null ? [accessToken] : [accessToken, refreshToken];
}

/** With a new access token each half hour, those of half a day: longer than a provider repeats what it was sent. */
const MAX_KEPT = 50;
