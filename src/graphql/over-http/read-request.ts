import { CrossbookError } from '../../domain/errors.ts';
import type { HttpRequest } from '../../lib/http-message.ts';
import { isRecord, type ReadJson, readJsonBytes, readJsonText } from '../../lib/read-json.ts';
import { type Limits, whoCalls } from '../limits.ts';
import { chooseMediaType, isJson } from './media-types.ts';
import type { PersistedOperations } from './persisted-operations.ts';
import { readHash } from './read-hash.ts';

/** What the request must be before anything of it is read. */
export function checkRequest({ method, headers }: HttpRequest): void {
  if (chooseMediaType(headers.get('accept')) === undefined) {
    throw new CrossbookError(
      'NOT_ACCEPTABLE',
      'Answers are application/graphql-response+json or application/json: accept one of them.',
    );
  }
  if (method !== 'GET' && method !== 'POST') {
    throw new CrossbookError('METHOD_NOT_ALLOWED', 'GraphQL is asked with GET and POST.');
  }
  // Nothing but JSON: a page of another site cannot send that without asking the browser first.
  if (method === 'POST' && !isJson(headers.get('content-type'))) {
    throw new CrossbookError('UNSUPPORTED_MEDIA_TYPE', 'The content type must be application/json in UTF-8.');
  }
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity') {
    throw new CrossbookError('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed.');
  }
}

/** The operation, or the batch of operations, that a request carries. */
export function readRequest(request: HttpRequest, bounds: RequestRules): Operation | Operation[] {
  const { limits } = bounds;
  if (request.method === 'GET') {
    return readOperation(toOperation(request.url.searchParams), bounds);
  }
  const body = toValue(readJsonBytes(readBody(request, limits.bodyBytes)), 'The body');
  if (!Array.isArray(body)) return readOperation(body, bounds);
  if (bounds.applicationId === undefined) throw whoCalls();
  if (body.length === 0) throw new CrossbookError('BAD_REQUEST', 'The batch is empty.');
  if (body.length > limits.batch) {
    throw new CrossbookError(
      'BAD_REQUEST',
      `A batch takes at most ${limits.batch} operations; these are ${body.length}.`,
    );
  }
  return body.map((one) => readOperation(one, bounds));
}

function toOperation(parameters: URLSearchParams): unknown {
  const json = (name: string) => {
    const text = parameters.get(name);
    return text ? toValue(readJsonText(text), `The parameter \`${name}\``) : undefined;
  };
  return {
    query: parameters.get('query') ?? undefined,
    documentId: parameters.get('documentId') ?? undefined,
    operationName: parameters.get('operationName') || undefined,
    variables: json('variables'),
    extensions: json('extensions'),
  };
}

function readOperation(given: unknown, { documents, applicationId }: RequestRules): Operation {
  if (!isRecord(given)) throw new CrossbookError('BAD_REQUEST', 'An operation must be a JSON object.');
  const {
    query = null,
    documentId = null,
    operationName = null,
    variables = null,
    extensions = null,
  } = given;
  if (query !== null && typeof query !== 'string') {
    throw new CrossbookError('BAD_REQUEST', 'The `query` must be a string.');
  }
  if (operationName !== null && typeof operationName !== 'string') {
    throw new CrossbookError('BAD_REQUEST', 'The `operationName` must be a string.');
  }
  if (variables !== null && !isRecord(variables)) {
    throw new CrossbookError('BAD_REQUEST', 'The `variables` must be an object.');
  }
  if (extensions !== null && !isRecord(extensions)) {
    throw new CrossbookError('BAD_REQUEST', 'The `extensions` must be an object.');
  }
  const operation = {
    // Undefined rather than null: the spelling that Yoga and graphql expect.
    query: query ?? undefined,
    documentId: documentId ?? undefined,
    operationName: operationName ?? undefined,
    variables: variables ?? undefined,
    extensions: extensions ?? undefined,
  };
  if (!documents.isClosed) return operation;
  return {
    ...operation,
    query: documents.find({ query: operation.query, hash: readHash(operation), applicationId }),
  };
}

function readBody(request: HttpRequest, maxBytes: number): Buffer {
  const bytes = request.readBody(maxBytes);
  if (bytes) return bytes;
  throw new CrossbookError('PAYLOAD_TOO_LARGE', `The body is larger than ${maxBytes / 1024} KiB.`);
}

function toValue(read: ReadJson, what: string): unknown {
  if ('value' in read) return read.value;
  throw new CrossbookError('BAD_REQUEST', `${what} ${read.problem}.`, { cause: read.cause });
}

interface RequestRules {
  readonly limits: Limits;
  readonly documents: PersistedOperations;
  /** The caller's: without one there is no batch, and nothing is kept. */
  readonly applicationId: string | undefined;
}

/** One GraphQL operation, checked for its shape. */
export interface Operation {
  /** Undefined where a hash names it, and it is not one of a closed list. */
  readonly query: string | undefined;
  readonly documentId: unknown;
  readonly operationName: string | undefined;
  readonly variables: Record<string, unknown> | undefined;
  readonly extensions: Record<string, unknown> | undefined;
}
