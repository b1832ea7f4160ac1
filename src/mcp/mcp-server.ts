import type { RequestWork } from '../admission/work.ts';
import { missingCredentials } from '../domain/caller.ts';
import { CrossbookError, ERROR_CODES, toCrossbookError, toErrorBody } from '../domain/errors.ts';
import type { RequestState } from '../domain/request-state.ts';
import { toBasePath } from '../domain/urls.ts';
import type { HttpHeaders, HttpRequest, HttpResponse } from '../lib/http-message.ts';
import { toRetryAfter } from '../lib/http-message.ts';
import { toOwnCommand } from '../lib/own-command.ts';
import { compressAnswer } from '../lib/response-body.ts';
import type { RequestContext } from '../request/context.ts';
import { readJson } from '../request/read-json.ts';
import { SERVER_ERROR } from './messages.ts';

/**
 * The MCP server: serves `POST /mcp`, and the metadata of its authorization server if there is one. RFC 9728 puts the
 * metadata of a URL with a path at the root of its host, so both places are served.
 */
export function createMcp({
  openContext,
  findApplications,
  allowsKeys,
  allowsWrites,
  issuer,
  publicUrl,
  version,
  summaryOnly,
}: McpOptions) {
  const metadataUrl = () => `${publicUrl() ?? ''}${METADATA_PATH}${PATH}`;
  const mounted = `${toBasePath(publicUrl())}${PATH}`.replaceAll('.', '\\.');
  const paths =
    issuer === undefined
      ? ONLY_MCP
      : new RegExp(`^(?:${PATH}|${METADATA_PATH.replace('.', '\\.')}(?:${PATH}|${mounted})?)$`);

  return {
    paths,
    findRoute: (pathname: string) => (pathname === PATH ? PATH : METADATA_PATH),
    toErrorResponse,
    async answer(
      request: HttpRequest,
      state: RequestState,
      work: RequestWork,
    ): Promise<HttpResponse> {
      state.requestLog.record({ api: 'mcp' });
      const allow = request.pathname === PATH ? 'POST' : 'GET';
      if (request.method === 'OPTIONS') return { status: 204, headers: { allow }, body: null };
      try {
        if (request.method !== allow)
          throw new CrossbookError('METHOD_NOT_ALLOWED', `This path supports only ${allow}.`);
        if (allow === 'GET') return toMetadata();
        const response = await answerCaller(request, state, work);
        return await compressAnswer(response, request.headers.get('accept-encoding'));
      } catch (thrown) {
        const response = toErrorResponse(toCrossbookError(thrown), state);
        return response.status === 405
          ? { ...response, headers: { ...response.headers, allow } }
          : response;
      }
    },
  };

  async function answerCaller(
    request: HttpRequest,
    state: RequestState,
    work: RequestWork,
  ): Promise<HttpResponse> {
    const context = openContext(request.headers, state, work);
    await checkOrigin(request.headers.get('origin'), context);
    if (!context.requireCaller().customer && !allowsKeys) throw keysNotAllowed();
    const body = readJson(request);
    // The tools and their schemas are loaded by the first request that needs them.
    const { answerMessages } = await import('./protocol.ts');
    const { headers } = request;
    return answerMessages({ body, headers, context, version, allowsWrites, summaryOnly });
  }

  /**
   * A browser sends an origin: only the pages of the caller's application may call. Clients without a browser send
   * none.
   */
  async function checkOrigin(origin: string | null, { caller }: RequestContext): Promise<void> {
    if (origin === null) return;
    const applications = await findApplications(origin);
    if (applications && !caller) throw missingCredentials();
    if (caller && applications?.has(caller.application.id)) return;
    throw new CrossbookError(
      'FORBIDDEN',
      `The origin of this page is not registered for the application: ${toOwnCommand(`apps origins ${caller?.application.id ?? 'APPLICATION'} --add ORIGIN`)} registers it.`,
    );
  }

  /** RFC 9728: where a client gets a token. */
  function toMetadata(): HttpResponse {
    const metadata = {
      resource: `${publicUrl() ?? ''}${PATH}`,
      resource_name: 'Crossbook',
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
    };
    return { status: 200, headers: JSON_HEADERS, body: JSON.stringify(metadata) };
  }

  /** An error before a tool runs, as JSON-RPC, with the HTTP status of its code. */
  function toErrorResponse(error: CrossbookError, state: RequestState): HttpResponse {
    state.requestLog.failed(error);
    const data = toErrorBody(error, state.caller?.application.name ?? null);
    const { status } = ERROR_CODES[error.code];
    const challenge =
      issuer === undefined ? 'Bearer' : `Bearer resource_metadata="${metadataUrl()}"`;
    return {
      status,
      headers: {
        ...JSON_HEADERS,
        ...(status === 401 && { 'www-authenticate': challenge }),
        ...toRetryAfter(error.retryAfterMs),
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: null,
        error: { code: SERVER_ERROR, message: error.message, data },
      }),
    };
  }
}

function keysNotAllowed(): CrossbookError {
  return new CrossbookError(
    'FORBIDDEN',
    'The MCP server does not accept API keys, because a key reaches every customer: send a customer token, or set CROSSBOOK_MCP_KEYS=on.',
  );
}

const PATH = '/mcp';
const METADATA_PATH = '/.well-known/oauth-protected-resource';
const ONLY_MCP = /^\/mcp$/;
const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' };

interface McpOptions {
  openContext(headers: HttpHeaders, state: RequestState, work: RequestWork): RequestContext;
  /** Ids of the applications that list an origin. Undefined: none. */
  findApplications(
    origin: string,
  ): Promise<ReadonlySet<string> | undefined> | ReadonlySet<string> | undefined;
  /** Whether API keys may call, which reach all customers of an application. */
  readonly allowsKeys: boolean;
  /** Whether tools may change records, for callers that may. */
  readonly allowsWrites: boolean;
  /** Whether the text of a result is a summary without text of a CRM. Else it is the JSON of its content. */
  readonly summaryOnly: boolean;
  /** The authorization server that issues customer tokens to clients. Absent: clients are given a token. */
  readonly issuer: string | undefined;
  publicUrl(): string | undefined;
  /** The product's version. */
  readonly version: string;
}
