import { CrossbookError, toClientError } from './crossbook-error.ts';
import { createTokenCache, type LoadToken, type TokenCache } from './token-cache.ts';

/**
 * Creates a function that executes GraphQL operations, with the token, the retries and the errors of the client, and
 * without its methods.
 */
export function createQuery({
  url,
  apiKey,
  token,
  retries = 2,
  fetch = globalThis.fetch,
}: ClientOptions): Query {
  const tokens = toTokenCache(token);

  return async <Data, Variables>(
    document: Document<Data, Variables>,
    variables?: Variables,
    { signal, isIdempotent = !/\bmutation\b/.test(String(document)) }: CallOptions = {},
  ): Promise<Data> => {
    const query = String(document);
    if (query === '[object Object]') throw new TypeError(NOT_TEXT);
    let isTokenNew = false;
    for (let attempt = 0; ; ) {
      const bearer = tokens ? await orAbort(tokens.get(), signal) : (token as string | undefined);
      try {
        return await executeOnce(JSON.stringify({ query, variables }), bearer, signal);
      } catch (error) {
        if (!(error instanceof CrossbookError)) throw error;
        if (tokens && error.code === 'UNAUTHORIZED' && !isTokenNew) {
          isTokenNew = true;
          tokens.refuse(bearer as string);
          continue;
        }
        const waitMs = error.retryAfterMs ?? FIRST_WAIT_MS * 2 ** attempt;
        if (attempt >= retries || waitMs > LONGEST_WAIT_MS || !mayRetry(error, isIdempotent))
          throw error;
        attempt += 1;
        // Spread, so that clients that failed together do not return together.
        await wait(waitMs * (1 + Math.random() / 4), signal);
      }
    }
  };

  /** Resolves with the data of one operation, or throws the first error. */
  async function executeOnce<Data>(
    body: string,
    bearer: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Data> {
    const response = await send({
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/graphql-response+json, application/json;q=0.9',
        ...(apiKey !== undefined && { 'x-api-key': apiKey }),
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
      },
      body,
      ...(signal && { signal }),
    });
    return (await readData(response)) as Data;
  }

  async function send(init: RequestInit): Promise<Response> {
    try {
      return await fetch(url, init);
    } catch (cause) {
      if (init.signal?.aborted) throw cause;
      // Node's `fetch failed` says nothing: its cause does or, of several addresses, only the code of it.
      const { cause: reason = cause as FailedFetch } = cause as FailedFetch;
      const detail = `No response from ${url}: ${reason.message || reason.code || reason}`;
      throw new CrossbookError({ ...NO_ANSWER, detail }, { cause });
    }
  }
}

/** Undefined: a token that cannot be renewed, or none. */
function toTokenCache(token: ClientOptions['token']): TokenCache | undefined {
  if (typeof token === 'function') return createTokenCache(token);
  return typeof token === 'object' ? token : undefined;
}

/** What must not be executed twice is repeated only where it was certainly not executed. */
function mayRetry({ retryable, code }: CrossbookError, isIdempotent: boolean): boolean {
  return retryable && (isIdempotent || code === 'TOO_MANY_REQUESTS');
}

/** Rejects when the signal is aborted. */
function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const waited = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return orAbort(waited, signal).finally(() => clearTimeout(timer));
}

function orAbort<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

async function readData(response: Response): Promise<object> {
  const { data, errors } = await readBody(response);
  const [error] = errors ?? [];
  const failure = toClientError(error, response.status);
  if (failure) {
    const { retryAfterMs = readRetryAfter(response) } = failure;
    throw new CrossbookError({ ...failure, retryAfterMs });
  }
  if (data) return data;
  throw notGraphQL(response);
}

async function readBody(response: Response): Promise<GraphQLBody> {
  const text = await response.text();
  try {
    return { ...JSON.parse(text) };
  } catch {
    throw notGraphQL(response);
  }
}

/** The error for responses that are not GraphQL, such as those of a proxy or login page. */
function notGraphQL(response: Response): CrossbookError {
  const { status, headers, url } = response;
  const type = headers.get('content-type') ?? 'no content type';
  return new CrossbookError({
    code: 'BAD_ANSWER',
    status,
    detail: `The response from ${url} has status ${status} and is ${type}, not GraphQL: the URL must end in /graphql.`,
    retryable: RETRYABLE.includes(status),
    retryAfterMs: readRetryAfter(response),
  });
}

/** Reads `Retry-After` in seconds, as proxies send it. */
function readRetryAfter({ headers }: Response): number | undefined {
  return Number(headers.get('retry-after')) * 1_000 || undefined;
}

const NOT_TEXT =
  'Pass the text of the operation: print(document), or documents with documentMode: "string".';
const NO_ANSWER = { code: 'NO_ANSWER', status: undefined, retryable: true } as const;
const RETRYABLE: readonly number[] = [429, 502, 503, 504];
const FIRST_WAIT_MS = 250;
/** An error that asks for a longer wait is thrown. */
const LONGEST_WAIT_MS = 10_000;

/**
 * Executes a GraphQL operation and resolves with its data. Rejects with the first error, also if the response has
 * some of the data. Give the types of data and variables, or a document that has them (GraphQL Code Generator with
 * `documentMode: 'string'`).
 */
export type Query = <Data = unknown, Variables = Readonly<Record<string, unknown>>>(
  document: Document<Data, Variables>,
  variables?: NoInfer<Variables>,
  call?: CallOptions,
) => Promise<Data>;

/** A document's text: a string, or an object that is one, with phantom types of its variables and data. */
export interface Document<Data, Variables> {
  readonly length: number;
  toString(): string;
  readonly __apiType?: (variables: Variables) => Data;
}

export interface CallOptions {
  /** Ends the request, or the wait for its repetition. */
  readonly signal?: AbortSignal;
  /**
   * Whether the operation can be executed twice without harm, so that it is repeated after all retryable errors.
   * Default: true for queries, and for the methods that write with an idempotency key; false for other mutations.
   */
  readonly isIdempotent?: boolean;
}

/** An API key on a server, or a customer token in a frontend. */
export type ClientOptions = Endpoint &
  (
    | { readonly apiKey: string; readonly token?: never }
    | { readonly token: string | LoadToken | TokenCache; readonly apiKey?: never }
  );

interface Endpoint {
  /** The GraphQL endpoint: `https://crossbook.example.com/graphql`. */
  readonly url: string;
  /**
   * How often a request is repeated after an error that says that it is retryable. Default: 2. Mutations without an
   * idempotency key are repeated only after `TOO_MANY_REQUESTS`.
   */
  readonly retries?: number;
  /** Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

interface FailedFetch {
  readonly message?: string;
  readonly code?: string;
  readonly cause?: FailedFetch;
}

interface GraphQLBody {
  readonly data?: object;
  readonly errors?: readonly unknown[];
}
