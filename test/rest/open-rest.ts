import type { ReadableStream } from 'node:stream/web';
import { BACKGROUND_WORK } from '../../src/admission/work.ts';
import type { CrossbookError } from '../../src/domain/errors.ts';
import { createRest, type RestOptions } from '../../src/rest/rest-server.ts';
import { createFakeRequestState } from '../support/fake-request-log.ts';
import { createFakeServices, type FakeServices } from '../support/fake-services.ts';
import { toFetch } from '../support/to-fetch.ts';
import { createAnswerChecker, type OpenApi } from './check-answer.ts';

/** The REST API over everything in memory. Every answer of an operation is held against the document. */
export async function openRest(options: Partial<RestOptions> = {}): Promise<TestRest> {
  const fake = await createFakeServices();
  const openContext = options.openContext ?? fake.openContext;
  const api = createRest({ version: '1.2.3', ...options, openContext });
  const rest = {
    fetch: toFetch(async (request) => {
      // Like the request handler, records the caller, or rejects the request.
      const state = createFakeRequestState(fake.requestLog);
      try {
        state.caller = openContext(request.headers, state, BACKGROUND_WORK).caller;
      } catch (error) {
        return api.toErrorResponse(error as CrossbookError, state);
      }
      return api.answer(request, state, BACKGROUND_WORK);
    }),
  };
  const document: OpenApi = await (
    await rest.fetch(new Request('http://localhost/openapi.json'))
  ).json();
  const checkAnswer = createAnswerChecker(document);
  return { fake, rest, document, ask };

  async function ask(
    method: string,
    path: string,
    { headers = DEMO, body, raw }: Asked = {},
  ): Promise<Answer> {
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
      ...((body !== undefined || raw !== undefined) && {
        body: raw ?? JSON.stringify(body),
        duplex: 'half',
      }),
    } as RequestInit);
    const response = await rest.fetch(request);
    const text = await response.text();
    const answer = {
      status: response.status,
      headers: response.headers,
      text,
      body: text && JSON.parse(text),
    };
    checkAnswer({ method, path: path.split('?')[0] ?? '', answer });
    return answer;
  }
}

export const DEMO = {
  'x-api-key': 'demo-key',
  'x-customer-id': 'demo',
  'x-provider-name': 'hubspot',
};
export const JSON_DEMO = { ...DEMO, 'content-type': 'application/json' };

/** The context of a request that fails with this wherever a use case begins. */
export async function failingWith(error: CrossbookError): Promise<Partial<RestOptions>> {
  const { services, tenant, openContext } = await createFakeServices();
  const fail = () => Promise.reject(error);
  Object.assign(services, {
    connections: { find: fail, forget: fail },
    openTenant: () => ({ ...tenant, customers: { upsert: fail, findMany: fail } }),
  });
  return { openContext };
}

export interface TestRest {
  readonly fake: FakeServices;
  readonly rest: { fetch(request: Request): Promise<Response> };
  readonly document: OpenApi;
  ask(method: string, path: string, asked?: Asked): Promise<Answer>;
}

interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** The body as it is. */
  readonly raw?: string | Uint8Array | ReadableStream;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever it looks for
  readonly body: any;
}
