import { type Reply, toErrorReply } from '../answers.ts';
import { notFound, SalesforceError } from '../errors.ts';
import { countCalls } from '../gate/limits.ts';
import { checkVersion } from '../gate/versions.ts';
import { readWriteHeaders } from '../gate/write-headers.ts';
import { type ApiRequest, allow, badInput, decodeParts, isRecord } from './api-request.ts';

/** Up to 25 independent requests in one. Each costs one call, and fails on its own. */
export function answerBatch(apiRequest: ApiRequest, dispatch: Dispatch): Reply {
  allow(apiRequest, 'POST');
  const body = apiRequest.body();
  const parts = readParts(body, 'batchRequests');
  const haltOnError = isRecord(body) && body['haltOnError'] === true;
  // The batch request itself was already counted.
  countCalls(apiRequest.account, { calls: parts.length - 1, now: apiRequest.now });
  const results: object[] = [];
  let hasErrors = false;
  for (const part of parts) {
    const reply: Reply =
      hasErrors && haltOnError
        ? HALTED
        : answerPart(apiRequest, () => dispatch(toPartRequest(apiRequest, part, BATCH_ROOT)));
    hasErrors ||= isError(reply);
    results.push({ statusCode: reply.status, result: reply.body });
  }
  return { status: 200, body: { hasErrors, results } };
}

/** Up to 25 requests, of which five can be queries, for the cost of one call. */
export function answerComposite(apiRequest: ApiRequest, dispatch: Dispatch): Reply {
  allow(apiRequest, 'POST');
  const body = apiRequest.body();
  const parts = readParts(body, 'compositeRequest');
  checkReferences(parts);
  if (parts.filter(({ url }) => QUERY_URL.test(url)).length > MAX_QUERIES) {
    throw badInput(
      `A composite request can have at most ${MAX_QUERIES} query subrequests`,
      'LIMIT_EXCEEDED',
    );
  }
  const replies: Reply[] = [];
  const responses = new Map<string, unknown>();
  for (const part of parts) {
    const reply = answerPart(apiRequest, () =>
      dispatch(toPartRequest(apiRequest, withReferences(part, responses))),
    );
    replies.push(reply);
    responses.set(part.referenceId, reply.body);
  }
  const isRolledBack = isRecord(body) && body['allOrNone'] === true && replies.some(isError);
  const compositeResponse = parts.map(({ referenceId }, place) => {
    const reply = replies[place] ?? ROLLED_BACK;
    const { status, body: answer } = isRolledBack && !isError(reply) ? ROLLED_BACK : reply;
    return { body: answer, httpHeaders: {}, httpStatusCode: status, referenceId };
  });
  return { status: 200, body: { compositeResponse } };
}

/** `@{first.records[0].Id}` is replaced by that value in the response of the part with the reference id `first`. */
function withReferences(part: Part, responses: ReadonlyMap<string, unknown>): Part {
  const url = part.url.replace(/@\{(\w+)\.([\w.[\]]+)\}/g, (whole, id: string, path: string) => {
    const keys = path.split(/[.[\]]+/).filter((key) => key !== '');
    const value = keys.reduce<unknown>(
      (at, key) => (at as Record<string, unknown> | undefined)?.[key],
      responses.get(id),
    );
    if (value === undefined)
      throw badInput(
        `Invalid reference specified. No value for ${whole.slice(2, -1)} found in ${id}`,
        'PROCESSING_HALTED',
      );
    return String(value);
  });
  return { ...part, url };
}

function answerPart({ account }: ApiRequest, answer: () => Reply): Reply {
  try {
    return answer();
  } catch (error) {
    if (!(error instanceof SalesforceError)) throw error;
    return toErrorReply(error, account.quirks.errorCodeFirst);
  }
}

/** The parts of a composite contain their full path, those of a batch can start with the version. */
function toPartRequest(
  apiRequest: ApiRequest,
  { method, url, body, headers }: Part,
  shortRoot?: RegExp,
): ApiRequest {
  const whole = shortRoot === undefined ? url : url.replace(shortRoot, ROOT);
  const queryAt = whole.indexOf('?');
  const path = queryAt < 0 ? whole : whole.slice(0, queryAt);
  if (!path.startsWith(ROOT)) throw notFound();
  const [named = '', ...segments] = path.slice(ROOT.length).split('/');
  const version = checkVersion(named);
  if (Number(version) > Number(apiRequest.version))
    throw badInput(`Version ${version} is newer than the request's`);
  const parts = decodeParts(segments);
  if (parts[0] === 'composite' && parts[1] !== 'sobjects')
    throw badInput('Composite requests do not nest');
  const query = new URLSearchParams(queryAt < 0 ? '' : whole.slice(queryAt + 1));
  const own = Object.entries(isRecord(headers) ? headers : {});
  const lowered = Object.fromEntries(own.map(([name, value]) => [name.toLowerCase(), value]));
  const part = { ...apiRequest, version, method, path: parts, query, body: () => body };
  return own.length > 0 ? { ...part, ...readWriteHeaders(lowered) } : part;
}

function readParts(body: unknown, name: string): readonly Part[] {
  const list = isRecord(body) ? body[name] : undefined;
  if (!Array.isArray(list) || list.length === 0)
    throw badInput(`${name} is required`, 'JSON_PARSER_ERROR');
  if (list.length > MAX_PARTS) throw badInput(`At most ${MAX_PARTS} subrequests`, 'LIMIT_EXCEEDED');
  return list.map((part: unknown) => {
    const {
      method,
      url,
      referenceId,
      body: own,
      richInput,
      httpHeaders,
    } = isRecord(part) ? part : {};
    if (typeof method !== 'string' || typeof url !== 'string') {
      throw badInput(`${name} must have method and url`, 'JSON_PARSER_ERROR');
    }
    return {
      method: method.toUpperCase(),
      url,
      body: own ?? richInput,
      headers: httpHeaders,
      referenceId: String(referenceId ?? ''),
    };
  });
}

function checkReferences(parts: readonly Part[]): void {
  const ids = new Set(parts.map(({ referenceId }) => referenceId));
  if (parts.some(({ referenceId }) => !/^[A-Za-z0-9]\w*$/.test(referenceId))) {
    throw badInput('Provided referenceId is missing or invalid');
  }
  if (ids.size < parts.length) throw badInput('Duplicate referenceId provided');
}

function isError({ status }: Reply): boolean {
  return status >= 400;
}

const ROOT = '/services/data/';
const BATCH_ROOT = /^\/?(?=v\d)/;
const MAX_PARTS = 25;
const MAX_QUERIES = 5;
const QUERY_URL = /\/v\d+\.0\/(?:query|queryAll|composite\/sobjects)(?:[/?]|$)/;

const HALTED: Reply = {
  status: 412,
  body: [
    {
      errorCode: 'BATCH_PROCESSING_HALTED',
      message: 'Batch processing halted due to an earlier error.',
    },
  ],
};
const ROLLED_BACK: Reply = {
  status: 400,
  body: [
    {
      errorCode: 'PROCESSING_HALTED',
      message:
        'The transaction was rolled back since another operation in the same transaction failed.',
    },
  ],
};

type Dispatch = (apiRequest: ApiRequest) => Reply;

interface Part {
  readonly method: string;
  readonly url: string;
  readonly referenceId: string;
  readonly body: unknown;
  /** Of this part alone. */
  readonly headers: unknown;
}
