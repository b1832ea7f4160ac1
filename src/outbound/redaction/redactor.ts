import { StringDecoder } from 'node:string_decoder';
import { inspect } from 'node:util';
import { CrossbookError, type RemoteCause } from '../../domain/errors.ts';
import { type ProviderResponse, RemoteFailure } from '../../domain/remote.ts';
import { parseJson } from '../../lib/json.ts';
import { createSecretMatcher, MAX_PLACES, type SecretMatcher } from './secret-matcher.ts';

/**
 * Converts errors of adapters and the transport to ones that may be shown. Every part of a provider's response in
 * errors, logs and traces is redacted here, where the connection's secrets are known.
 */
export function createRedactor(secrets: () => readonly string[]): Redact {
  /** A cache of our own messages that contain no secret, because rejections repeat the same ones thousands of times. */
  const plain = new Set<string>();
  let known: readonly string[] = [];

  return (thrown) => {
    const isOwn = thrown instanceof CrossbookError;
    if (known !== secrets()) plain.clear();
    if (isOwn && plain.has(thrown.message)) return thrown;
    known = secrets();
    if (thrown instanceof RemoteFailure) return toShownError(thrown, known);
    const matcher = createSecretMatcher(known);
    if (!isOwn) {
      // A bug: its message may quote a secret.
      return matcher.matches(inspect(thrown, INSPECTED).slice(0, MAX_SHOWN_BYTES))
        ? new Error(WITHHELD)
        : thrown;
    }
    if (matcher.matches(thrown.message)) {
      const { code, remote, retryAfterMs, origin } = thrown;
      return new CrossbookError(code, WITHHELD, { remote, retryAfterMs, origin });
    }
    if (plain.size >= MAX_PLAIN) plain.clear();
    plain.add(thrown.message);
    return thrown;
  };
}

export type Redact = (thrown: unknown) => unknown;

function toShownError(
  { code, message, answer, retryAfterMs }: RemoteFailure,
  secrets: readonly string[],
): CrossbookError {
  const matcher = createSecretMatcher(secrets);
  const detail = matcher.matches(message)
    ? `The provider responded with ${answer.status}: ${WITHHELD}`
    : message;
  const remote = toRemoteCause(answer, matcher);
  return new CrossbookError(code, detail, { remote, retryAfterMs });
}

function toRemoteCause(
  { status, headers, body, bodyBytes }: ProviderResponse,
  matcher: SecretMatcher,
): RemoteCause {
  const shown = Object.entries(headers).filter(([name]) => !SECRET_HEADERS.test(name));
  const redacted = redactJson(Object.fromEntries(shown), matcher);
  return {
    code: status,
    body: redactBody(body, bodyBytes ?? Buffer.byteLength(body), matcher),
    headers: typeof redacted === 'object' ? (redacted as RemoteCause['headers']) : {},
  } as RemoteCause;
}

/** Redacts a body. JSON stays valid JSON even when truncated. */
function redactBody(body: string, bytes: number, matcher: SecretMatcher): unknown {
  const { text, note } = cutText(body, bytes);
  const json = parseJson(note === undefined ? text : closeJson(text, note));
  if (json !== undefined) return redactJson(json, matcher);
  const redacted = matcher.count(text, 1) > 0 ? WITHHELD : text;
  return note === undefined ? redacted : `${redacted} ${note}`;
}

const MAX_SHOWN_BYTES = 16 * 1024;
const MAX_PLAIN = 20;
/** `inspect` composes all of its text before any of it could be cut. */
const INSPECTED = { depth: 3, maxArrayLength: 20, maxStringLength: 4_096 };

/** Headers that are always withheld: cookies and credentials. */
const SECRET_HEADERS =
  /cookie|authori[sz]ation|authentication-info|token|secret|session|api-?key|password|signature/;

/** Truncates a text at a character; `note` says so. Undefined: not truncated. */
function cutText(text: string, bytes: number) {
  if (bytes <= MAX_SHOWN_BYTES) return { text, note: undefined };
  const start = Buffer.from(text.slice(0, MAX_SHOWN_BYTES)).subarray(0, MAX_SHOWN_BYTES);
  // The decoder holds back an incomplete character.
  const whole = new StringDecoder('utf8').write(start);
  return { text: whole, note: `[cut: the first ${Buffer.byteLength(whole)} of ${bytes} bytes]` };
}

/** Completes truncated JSON: closes open brackets and inserts the note at the cut. Other text stays invalid JSON. */
function closeJson(start: string, note: string): string {
  const open: ('}' | ']')[] = [];
  // The end of the part that is complete except for open brackets, or for the string that it ends in.
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

/** A string up to its end or the cut, with its closing quote if present; or punctuation. */
const JSON_TOKEN = /"(?:[^"\\]|\\u[0-9a-f]{4}|\\[^u])*("?)|[{}[\],:]/gi;

function toMember(before: string, note: string, bracket: string | undefined): string {
  const comma = before === '{' || before === '[' ? '' : ',';
  return bracket === '}' ? `${comma}"[cut]":"${note}"` : `${comma}"${note}"`;
}

const WITHHELD = '[withheld]';

/**
 * Withholds each key, string and number that shares enough with a secret or has a secret's name. Withholds the whole
 * value where a secret is split over neighbours, or where there is too much to search one by one.
 */
function redactJson(json: unknown, matcher: SecretMatcher): unknown {
  const { all, values } = collect(json, { all: [], values: [] });
  const inAll = matcher.count(join(all));
  const hasKeys = all.length > values.length;
  const inValues = hasKeys ? matcher.count(join(values)) : inAll;
  if (inAll === 0 && inValues === 0) return rebuild(json, () => false);
  if (all.length > MAX_SEARCHED || inAll === MAX_PLACES) return WITHHELD;
  const counts = new Map<string, number>();
  for (const text of new Set(all)) counts.set(text, matcher.count(text));
  /** The matches in the texts, each by itself. Joined they have more only where a secret is split over several. */
  const countEach = (texts: readonly string[]) =>
    texts.reduce((sum, text) => sum + (counts.get(text) ?? 0), 0);
  if (inAll > countEach(all) || inValues > countEach(values)) return WITHHELD;
  return rebuild(json, (text) => (counts.get(text) ?? 0) > 0);
}

const MAX_SEARCHED = 200;

/** A line break is ignored in every decoding, and no escape sequence spans it. */
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
  if (typeof json === 'string' || typeof json === 'number')
    return isSecret(String(json)) ? WITHHELD : json;
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

/** Keys whose values are withheld by name: a new token is not among the known secrets yet. */
const NAMED =
  /^(?:(?:access|refresh|id|session)[_-]?token|token|client[_-]?secret|password|authorization|session[_-]?id)$/i;

interface Collected {
  /** Keys and values in document order. */
  readonly all: string[];
  readonly values: string[];
}
