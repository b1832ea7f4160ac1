import { type GraphQLFormattedError, Kind } from 'graphql';
import { CrossbookError, type ErrorCode, toCrossbookError, toErrorBody } from '../domain/errors.ts';
import { cleanMessage } from './clean-message.ts';

/** Every error that a client sees is made here, and is made anew: graphql and Yoga keep theirs for the next request. */
export function translateErrors(errors: readonly RaisedError[], asked: Asked): readonly TranslatedError[] {
  const known = new Map<RaisedError, CrossbookError>();
  return errors.map((error) => {
    const origin = originOf(error);
    const seen = known.get(origin);
    // What one batch has thrown arrives at every path that waited for it.
    const translated = seen ?? toKnownError(error, origin, asked);
    known.set(origin, translated);
    return {
      known: translated,
      isFirst: seen === undefined,
      isComplaint: isComplaint(origin, asked),
      formatted: format(error, translated, asked),
    };
  });
}

function format(
  error: RaisedError,
  known: CrossbookError,
  { applicationName }: Asked,
): GraphQLFormattedError {
  const body = toErrorBody(known, applicationName);
  return {
    message: body.title,
    ...(error.locations?.length && { locations: error.locations }),
    ...(error.path && { path: error.path }),
    extensions: { ...body },
  };
}

function toKnownError(error: RaisedError, origin: RaisedError, asked: Asked): CrossbookError {
  if (origin instanceof CrossbookError) return origin;
  if (!isComplaint(origin, asked)) return toCrossbookError(origin);
  return new CrossbookError(readCode(error), cleanMessage(error, asked));
}

function originOf(error: RaisedError): RaisedError {
  return error.originalError ? originOf(error.originalError) : error;
}

/**
 * Does graphql itself complain of what was asked? Before the operation began, always; later it may also complain of what
 * a resolver returned, which is our bug. Two copies of graphql can be loaded at once: its errors are known by name.
 */
function isComplaint({ name, nodes }: RaisedError, { executed }: Asked): boolean {
  if (name !== 'GraphQLError') return false;
  return !executed || (nodes?.[0] !== undefined && nodes[0].kind !== Kind.FIELD);
}

/** What Yoga refuses by itself says its HTTP status. */
function readCode({ extensions }: RaisedError): ErrorCode {
  const { http } = { ...extensions } as { http?: { status?: unknown } };
  return CODES[String(http?.status)] ?? 'BAD_REQUEST';
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  405: 'METHOD_NOT_ALLOWED',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
};

/** A GraphQLError of whichever copy of graphql, or what was thrown instead of one. */
export interface RaisedError {
  readonly name: string;
  readonly message: string;
  readonly originalError?: RaisedError | null | undefined;
  readonly nodes?: readonly { readonly kind: string }[] | undefined;
  readonly locations?: GraphQLFormattedError['locations'];
  readonly path?: GraphQLFormattedError['path'];
  readonly extensions?: object;
}

export interface Asked {
  readonly applicationName: string | null;
  /** Had the operation begun? */
  readonly executed: boolean;
  /** May an error name what else the schema has? */
  readonly suggestions: boolean;
}

export interface TranslatedError {
  readonly known: CrossbookError;
  /** False where the same error stands at an earlier path of the same answer. */
  readonly isFirst: boolean;
  /** Is it a mistake in the document or its variables? */
  readonly isComplaint: boolean;
  readonly formatted: GraphQLFormattedError;
}
