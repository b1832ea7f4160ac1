import { CrossbookError, toClientError } from './crossbook-error.ts';
import type { Document } from './document.ts';

/** One operation, one request: resolves with its data, or throws the first thing that went wrong with it. */
export function createAsk({ url, apiKey, token, fetch = globalThis.fetch }: ClientOptions): Ask {
  return async (document, variables, { signal } = {}) => {
    const response = await send({
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/graphql-response+json, application/json;q=0.9',
        ...(apiKey !== undefined && { 'x-api-key': apiKey }),
        ...(token !== undefined && { authorization: `Bearer ${await readToken(token)}` }),
      },
      body: JSON.stringify({ query: document, variables }),
      ...(signal && { signal }),
    });
    return readData(response);
  };

  async function send(init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, init);
    } catch (cause) {
      if (init.signal?.aborted) throw cause;
      throw new CrossbookError(
        { ...NO_ANSWER, detail: cause instanceof Error ? cause.message : String(cause) },
        { cause },
      );
    }
  }
}

async function readToken(token: Token): Promise<string> {
  return typeof token === 'function' ? token() : token;
}

async function readData<Answer>(response: Response): Promise<Answer> {
  const answer = await readAnswer(response);
  const [error] = answer.errors ?? [];
  if (error !== undefined) throw new CrossbookError(toClientError(error, response.status));
  if (answer.data) return answer.data as Answer;
  throw notGraphQL(response);
}

async function readAnswer(response: Response): Promise<GraphQLAnswer> {
  const text = await response.text();
  try {
    return { ...(JSON.parse(text) as GraphQLAnswer) };
  } catch {
    throw notGraphQL(response);
  }
}

/** Something between here and there has answered: a proxy, a login page. */
function notGraphQL({ status, headers }: Response): CrossbookError {
  const type = headers.get('content-type') ?? 'no content type';
  return new CrossbookError({
    code: 'BAD_ANSWER',
    status,
    title: 'Not an answer of GraphQL',
    detail: `What came back has status ${status} and is ${type}.`,
    retryable: RETRYABLE.includes(status),
  });
}

const NO_ANSWER = { code: 'NO_ANSWER', status: undefined, title: 'No answer', retryable: true } as const;
const RETRYABLE: readonly number[] = [429, 502, 503, 504];

export type Ask = <Answer, Variables>(
  document: Document<Answer, Variables>,
  variables: Variables,
  options?: CallOptions,
) => Promise<Answer>;

export interface CallOptions {
  readonly signal?: AbortSignal;
}

/** With an application's key on a server, or with a customer's token in a frontend. */
export type ClientOptions = Endpoint &
  ({ readonly apiKey: string; readonly token?: never } | { readonly token: Token; readonly apiKey?: never });

/** A function is asked before each request, so that it can renew a token that ends. */
type Token = string | (() => string | Promise<string>);

interface Endpoint {
  /** Of GraphQL: `https://crossbook.example.com/graphql`. */
  readonly url: string;
  /** Default: the runtime's own. */
  readonly fetch?: typeof globalThis.fetch;
}

interface GraphQLAnswer {
  readonly data?: unknown;
  readonly errors?: readonly unknown[];
}
