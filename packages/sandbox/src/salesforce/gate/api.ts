import type { Answer } from '../../http.ts';
import { readJson } from '../../http.ts';
import { apiAnswer, htmlAnswer, type Reply, toErrorReply } from '../answers.ts';
import { openDatabase } from '../data/database.ts';
import { SalesforceError } from '../errors.ts';
import { type ApiRequest, decodeParts } from '../resources/api-request.ts';
import { dispatch } from '../resources.ts';
import type { SalesforceAccount, SalesforceCall } from '../types.ts';
import { countCalls } from './limits.ts';
import { checkSession } from './session.ts';
import { checkVersion } from './versions.ts';
import { readWriteHeaders } from './write-headers.ts';

/** Everything under /services/data/vXX.X/: authentication, limits, and then the resource. */
export function answerApi(call: SalesforceCall): Answer {
  const tooLong = refuseLength(call);
  if (tooLong) return tooLong;
  let account: SalesforceAccount | undefined;
  let reply: Reply;
  try {
    account = checkSession(call);
    if (hasMoved(account, call)) return htmlAnswer(404, 'URL No Longer Exists');
    const apiRequest = toApiRequest(call, account);
    countCalls(account, { calls: 1, now: call.now });
    reply = dispatch(apiRequest);
  } catch (error) {
    if (!(error instanceof SalesforceError)) throw error;
    reply = toErrorReply(error, (account ?? call.grant?.account)?.quirks.errorCodeFirst ?? false);
  }
  return apiAnswer(reply, account, call.now);
}

function refuseLength({ request }: SalesforceCall): Answer | undefined {
  if (request.target.length > MAX_HEAD) return htmlAnswer(414, 'URI Too Long');
  if (request.target.length + request.headerBytes > MAX_HEAD) {
    return htmlAnswer(431, 'Request Header Fields Too Large');
  }
  return undefined;
}

function hasMoved({ quirks }: SalesforceAccount, { request }: SalesforceCall): boolean {
  return (
    quirks.movedInstanceUrl !== null &&
    new URL(quirks.movedInstanceUrl).host !== request.headers.host
  );
}

function toApiRequest(
  { request, now, origin }: SalesforceCall,
  account: SalesforceAccount,
): ApiRequest {
  const [, , , named = '', ...segments] = request.path.split('/');
  return {
    account,
    now,
    origin,
    query: request.query,
    method: request.method,
    version: checkVersion(named),
    path: decodeParts(segments),
    batchSize: readBatchSize(request.headers['sforce-query-options']),
    ifModifiedSince: Date.parse(request.headers['if-modified-since'] ?? '') || 0,
    ...readWriteHeaders(request.headers),
    body: () => readBody(request),
    database: openDatabase(account, account.quirks, now),
  };
}

function readBatchSize(header: unknown): number {
  const requested = Number(/batchSize=(\d+)/i.exec(String(header ?? ''))?.[1] ?? MAX_BATCH);
  return Math.min(MAX_BATCH, Math.max(MIN_BATCH, requested));
}

function readBody(request: SalesforceCall['request']): unknown {
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? '')) {
    const message = 'Content-Type header specified in HTTP request is not supported';
    throw new SalesforceError(415, 'UNSUPPORTED_MEDIA_TYPE', message);
  }
  const body = readJson(request);
  if (body === undefined)
    throw new SalesforceError(400, 'JSON_PARSER_ERROR', 'Unexpected character in JSON');
  return body;
}

/** The maximum of the URL and all headers together. */
const MAX_HEAD = 16_384;
const MAX_BATCH = 2_000;
const MIN_BATCH = 200;
