import { type Allowance, jsonLength } from '@crossbook/executor';
import { type GraphQLFormattedError, Kind } from 'graphql';
import {
  CrossbookError,
  type ErrorBody,
  type ErrorCode,
  type RemoteCause,
  toCrossbookError,
  toErrorBody,
} from '../../domain/errors.ts';
import { shorten } from '../../lib/text.ts';

/**
 * Formats all errors for clients. Creates new objects, because graphql and Yoga reuse theirs in later requests.
 * Formats as many as the allowance permits; a final error counts the omitted ones.
 */
export function translateErrors(
  errors: readonly ExecutionError[],
  audience: ErrorAudience,
): readonly ReportedError[] {
  const instances = new Map<ExecutionError, CrossbookError>();
  const translated: ReportedError[] = [];
  for (const [index, error] of errors.entries()) {
    const origin = originOf(error);
    const seen = instances.get(origin);
    // An error of a batch is reported at every path that waited for it.
    const known = seen ?? toKnownError(error, origin, audience);
    const facts = {
      known,
      isFirst: seen === undefined,
      isRequestError: isRequestError(origin, audience),
    };
    const formatted = formatWithin(error, known, audience);
    if (!formatted)
      return [
        ...translated,
        { ...facts, formatted: formatRest(errors.length - index, known, audience) },
      ];
    instances.set(origin, known);
    translated.push({ ...facts, formatted });
  }
  return translated;
}

/** Undefined if the allowance does not suffice even without the provider's response. */
function formatWithin(
  error: ExecutionError,
  known: CrossbookError,
  audience: ErrorAudience,
): GraphQLFormattedError | undefined {
  const { remote } = known;
  const { allowance, causes } = audience;
  if (remote && !causes.has(remote)) {
    causes.add(remote);
    const whole = format(error, known, audience);
    if (allowance.takeError(jsonLength(whole))) return whole;
  }
  const bare = withoutCause(format(error, known, audience));
  return allowance.takeError(jsonLength(bare)) ? bare : undefined;
}

function format(
  error: ExecutionError,
  known: CrossbookError,
  { applicationName }: ErrorAudience,
): GraphQLFormattedError & { readonly extensions: ErrorBody } {
  const body = toErrorBody(known, applicationName);
  return {
    message: body.detail,
    ...(error.locations?.length && { locations: error.locations }),
    ...(error.path && { path: error.path }),
    extensions: { ...body },
  };
}

function withoutCause(formatted: ReturnType<typeof format>): GraphQLFormattedError {
  const { cause: _cause, ...meta } = formatted.extensions.meta;
  return { ...formatted, extensions: { ...formatted.extensions, meta } };
}

/** The error for the omitted ones, with the id and code of the first. */
function formatRest(
  count: number,
  known: CrossbookError,
  audience: ErrorAudience,
): GraphQLFormattedError {
  const detail = `${count} more ${count === 1 ? 'error is' : 'errors are'} omitted. The first is ${known.code}.`;
  const { extensions } = withoutCause(format({ name: '', message: '' }, known, audience));
  return { message: detail, extensions: { ...extensions, detail } };
}

function toKnownError(
  error: ExecutionError,
  origin: ExecutionError,
  audience: ErrorAudience,
): CrossbookError {
  if (origin instanceof CrossbookError) return origin;
  if (!isRequestError(origin, audience)) return toCrossbookError(origin);
  return new CrossbookError(readCode(error), redactMessage(error, audience));
}

function originOf(error: ExecutionError): ExecutionError {
  return error.originalError ? originOf(error.originalError) : error;
}

/**
 * Whether graphql rejects the request itself. Before execution always; during execution graphql errors may also
 * concern a resolver's result, which is a bug of ours. Matched by name, because two copies of graphql may be loaded.
 */
function isRequestError({ name, nodes }: ExecutionError, { executed }: ErrorAudience): boolean {
  if (name !== 'GraphQLError') return false;
  return !executed || (nodes?.[0] !== undefined && nodes[0].kind !== Kind.FIELD);
}

/** Plugins reject an operation with an HTTP status. */
function readCode({ extensions }: ExecutionError): ErrorCode {
  const { http } = { ...extensions } as { http?: { status?: unknown } };
  return CODES[String(http?.status)] ?? 'BAD_REQUEST';
}

/** Names of a document are as long as the client wants them to be. */
const LONG_NAME = /\w{81,}/g;

const CODES: Readonly<Record<string, ErrorCode>> = {
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  429: 'TOO_MANY_REQUESTS',
};

/**
 * graphql's error message without the values that it quotes: inputs may hold credentials, which must not be echoed.
 * Names from the client are kept, so the message is truncated. Runs in linear time.
 */
export function redactMessage(
  error: QuotingError,
  { suggestions }: { readonly suggestions: boolean },
): string {
  const redacted = QUOTES.reduce(endAt, withoutScalar(withoutVariableValue(error)));
  const message = (suggestions ? redacted : withoutSuggestions(redacted)).replace(
    LONG_NAME,
    (name) => `${shorten(name)}…`,
  );
  return message.length <= MAX_LENGTH ? message : `${message.slice(0, MAX_LENGTH)}…`;
}

/** `Variable "$input" got invalid value {…} at "input.email"; reason` quotes the whole value. */
function withoutVariableValue({ message, originalError }: QuotingError): string {
  const variable = /^Variable "(\$\w+)" got invalid value /u.exec(message)?.[1];
  if (variable === undefined) return message;
  const reason = originalError?.message ?? '';
  if (reason === '' || !message.endsWith(`; ${reason}`))
    return `Variable "${variable}" got an invalid value.`;
  const quoted = message.slice(0, -reason.length - 2);
  const at = quoted.endsWith('"') ? quoted.lastIndexOf(' at "') : -1;
  const path = at === -1 ? '' : quoted.slice(at + ' at "'.length, -1);
  const where = path === '' || path.includes('"') ? '' : ` at "${path}"`;
  return `Variable "${variable}" got an invalid value${where}; ${reason}`;
}

/** `Int cannot represent non-integer value: "…"` */
function withoutScalar(message: string): string {
  const start = message.indexOf('cannot represent ');
  const colon = start === -1 ? -1 : message.indexOf(':', start);
  return colon === -1 ? message : `${message.slice(0, colon)}.`;
}

/** `Expected value of type "Email", found "…".` and `Syntax Error: Expected Name, found String "…".` */
const QUOTES = [/Expected value of type "[^"]*"(?=, found )/, /found (?:Block)?String(?= )/];

/** The message until the end of the first match. */
function endAt(message: string, pattern: RegExp): string {
  const match = pattern.exec(message);
  return match ? `${message.slice(0, match.index + match[0].length)}.` : message;
}

function withoutSuggestions(message: string): string {
  const start = message.indexOf(' Did you mean ');
  const end = message.lastIndexOf('?');
  return start === -1 || end < start ? message : message.slice(0, start) + message.slice(end + 1);
}

const MAX_LENGTH = 1_000;

/** A GraphQLError of any loaded copy of graphql, or another thrown value. */
export interface ExecutionError {
  readonly name: string;
  readonly message: string;
  readonly originalError?: ExecutionError | null | undefined;
  readonly nodes?: readonly { readonly kind: string }[] | undefined;
  readonly locations?: GraphQLFormattedError['locations'];
  readonly path?: GraphQLFormattedError['path'];
  readonly extensions?: object;
}

interface ErrorAudience {
  readonly applicationName: string | null;
  /** Whether execution had begun. */
  readonly executed: boolean;
  /** Whether messages may suggest names of the schema. */
  readonly suggestions: boolean;
  /** The allowance of the HTTP request, which the operations of a batch share. */
  readonly allowance: Pick<Allowance, 'takeError'>;
  /** Provider errors that are already in the response: each is shown once. */
  readonly causes: Set<RemoteCause>;
}

export interface ReportedError {
  readonly known: CrossbookError;
  /** False if an earlier path of the response has the same error. */
  readonly isFirst: boolean;
  /** Whether it is an error in the document or its variables. */
  readonly isRequestError: boolean;
  readonly formatted: GraphQLFormattedError;
}

interface QuotingError {
  readonly message: string;
  readonly originalError?: { readonly message: string } | null | undefined;
}
