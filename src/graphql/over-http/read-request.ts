import type { Spent } from '@crossbook/executor';
import { missingCredentials } from '../../domain/caller.ts';
import { CrossbookError } from '../../domain/errors.ts';
import type { RequestLog } from '../../domain/log.ts';
import type { HttpRequest } from '../../lib/http-message.ts';
import { isJson, isRecord, type ReadJson, readJsonBody, readJsonText } from '../../lib/json.ts';
import type { RequestContext } from '../../request/context.ts';
import type { CallerSchema } from '../caller-schemas.ts';
import type { DocumentLimits } from '../engine/limits.ts';
import { type PersistedOperations, readHash } from './persisted-operations.ts';

/** The state of one HTTP request; operations of a batch share one context. */
export interface GraphQLRequest {
  readonly request: HttpRequest;
  readonly requestLog: RequestLog;
  readonly context: RequestContext;
  readonly callerSchema: CallerSchema;
  /** Set with the first operation: the request as plugins see it. */
  fetchRequest: Request | undefined;
  /** The cost of its operations so far. */
  readonly spent: Spent;
  /** The tokens of its documents so far. */
  tokens: number;
}

/** Checks method and headers before the body is parsed. */
export function checkRequest({ method, headers }: HttpRequest): void {
  if (chooseMediaType(headers.get('accept')) === undefined) {
    throw new CrossbookError(
      'NOT_ACCEPTABLE',
      'Responses are application/graphql-response+json or application/json: accept one of them.',
    );
  }
  if (method !== 'GET' && method !== 'POST') {
    throw new CrossbookError('METHOD_NOT_ALLOWED', 'GraphQL accepts GET and POST.');
  }
  // Requires JSON, which a cross-origin page cannot send without a preflight request (CSRF).
  if (method === 'POST' && !isJson(headers.get('content-type'))) {
    throw new CrossbookError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The content type must be application/json in UTF-8.',
    );
  }
}

/** Reads the operation or batch of operations of a request. */
export function readRequest(
  request: HttpRequest,
  bounds: RequestRules,
): OperationParams | OperationParams[] {
  const { limits } = bounds;
  if (request.method === 'GET') {
    return readOperation(toOperation(request.url.searchParams), bounds);
  }
  const body = toValue(readJsonBody(request.readBody()), 'The body');
  if (!Array.isArray(body)) return readOperation(body, bounds);
  if (bounds.applicationId === undefined) throw missingCredentials();
  if (body.length === 0) throw new CrossbookError('BAD_REQUEST', 'The batch is empty.');
  if (body.length > limits.batch) {
    throw new CrossbookError(
      'BAD_REQUEST',
      `A batch takes at most ${limits.batch} operations, but has ${body.length}.`,
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
    query: parameters.get('query'),
    documentId: parameters.get('documentId'),
    operationName: parameters.get('operationName') || undefined,
    variables: json('variables'),
    extensions: json('extensions'),
  };
}

function readOperation(
  value: unknown,
  { documents, applicationId }: RequestRules,
): OperationParams {
  if (!isRecord(value))
    throw new CrossbookError('BAD_REQUEST', 'An operation must be a JSON object.');
  const operation = {
    query: readString(value, 'query'),
    // Undefined instead of null, as Yoga and graphql expect.
    documentId: value['documentId'] ?? undefined,
    operationName: readString(value, 'operationName'),
    variables: readObject(value, 'variables'),
    extensions: readObject(value, 'extensions'),
  };
  if (!documents.isClosed) return operation;
  const hash = readHash(operation);
  return { ...operation, query: documents.find({ query: operation.query, hash, applicationId }) };
}

/** Null counts as omitted. */
function readString(json: JsonObject, name: string): string | undefined {
  const value = json[name] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw new CrossbookError('BAD_REQUEST', `The \`${name}\` must be a string.`);
}

function readObject(json: JsonObject, name: string): JsonObject | undefined {
  const value = json[name] ?? undefined;
  if (value === undefined || isRecord(value)) return value;
  throw new CrossbookError('BAD_REQUEST', `The \`${name}\` must be an object.`);
}

type JsonObject = Readonly<Record<string, unknown>>;

function toValue(read: ReadJson, what: string): unknown {
  if ('value' in read) return read.value;
  throw new CrossbookError('BAD_REQUEST', `${what} ${read.problem}.`, { cause: read.cause });
}

interface RequestRules {
  readonly limits: DocumentLimits;
  readonly documents: PersistedOperations;
  /** The caller's application: without one, batches are rejected and nothing is cached. */
  readonly applicationId: string | undefined;
}

/** One GraphQL operation, checked for its shape. */
export interface OperationParams {
  /** Undefined if it is given by a hash and not by a trusted document. */
  readonly query: string | undefined;
  readonly documentId: unknown;
  readonly operationName: string | undefined;
  readonly variables: Record<string, unknown> | undefined;
  readonly extensions: Record<string, unknown> | undefined;
}

export const JSON_TYPE = 'application/json';
export const GRAPHQL_TYPE = 'application/graphql-response+json';

/** Negotiates the better of our two media types; undefined if neither is accepted. Without the header: JSON. */
export function chooseMediaType(accept: string | null): string | undefined {
  if (accept === null || accept.trim() === '') return JSON_TYPE;
  const ranges = readRanges(accept);
  const choices = [JSON_TYPE, GRAPHQL_TYPE].map((type) => ({ type, ...weigh(type, ranges) }));
  const acceptable = choices.filter(({ quality }) => quality > 0);
  // Of equal weights the first one wins.
  return acceptable.sort((a, b) => b.quality - a.quality || a.position - b.position)[0]?.type;
}

/** Whether the client accepts plain JSON but not GraphQL's own media type. */
export function acceptsJsonAlone(accept: string | null): boolean {
  const ranges = readRanges(accept ?? '');
  return weigh(JSON_TYPE, ranges).quality > 0 && weigh(GRAPHQL_TYPE, ranges).quality === 0;
}

function weigh(type: string, ranges: readonly Range[]): { quality: number; position: number } {
  const names = [type, 'application/*', '*/*'];
  // The most specific matching range decides.
  for (const name of names) {
    const position = ranges.findIndex((range) => range.name === name);
    const range = ranges[position];
    if (range) return { quality: range.quality, position };
  }
  return { quality: 0, position: 0 };
}

function readRanges(accept: string): readonly Range[] {
  return accept.toLowerCase().split(',').map(readRange);
}

function readRange(text: string): Range {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  const isReadable = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  return { name, isReadable, quality: isReadable ? Number(quality ?? 1) || 0 : 0 };
}

interface Range {
  readonly name: string;
  /** Whether its charset is UTF-8 or unspecified. */
  readonly isReadable: boolean;
  readonly quality: number;
}
