import type { FormattedExecutionResult, GraphQLFormattedError } from 'graphql';
import { BACKGROUND_WORK, type RequestWork } from '../../src/admission/work.ts';
import { createGraphQL, type GraphQLOptions } from '../../src/graphql/graphql-server.ts';
import { createFakeRequestState } from '../support/fake-request-log.ts';
import { createFakeServices, type FakeServices } from '../support/fake-services.ts';
import { toFetch } from '../support/to-fetch.ts';

/** The real server over services in memory; tests call it with requests, as clients do. */
export async function createTestServer(options: TestOptions = {}): Promise<TestServer> {
  const { people, responseBounds, ...rest } = options;
  const fake = await createFakeServices({
    ...(people && { people }),
    ...(responseBounds && { responseBounds }),
  });
  const server = createGraphQL({
    openContext: fake.openContext,
    graphiql: false,
    ...rest,
  });
  let work: RequestWork = BACKGROUND_WORK;
  const setWork = (given: RequestWork) => {
    work = given;
  };
  const send = toFetch((request) =>
    server.answer(request, createFakeRequestState(fake.requestLog), work),
  );

  return { ...fake, setWork, send, post, execute, close: server.close };

  async function post(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return send(
      new Request('http://localhost/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );
  }

  async function execute(
    query: string,
    variables: object = {},
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await post({ query, variables }, { ...DEMO, ...headers });
    return (await response.json()) as Answer;
  }
}

/** The demo application, asking for its customer `demo`. */
export const DEMO = {
  'x-api-key': 'demo-key',
  'x-customer-id': 'demo',
  'x-provider-name': 'hubspot',
};

/** Exactly what an error may carry besides its message, locations and path. */
export const EXTENSIONS = ['code', 'detail', 'id', 'meta', 'problem_type', 'status', 'title'];

export interface Answer extends FormattedExecutionResult {
  // biome-ignore lint/suspicious/noExplicitAny: each test defines the response of its operation.
  readonly data?: any;
  readonly errors?: readonly GraphQLFormattedError[];
}

interface TestOptions extends Partial<Omit<GraphQLOptions, 'openContext'>> {
  readonly people?: FakeServices['people'];
  readonly responseBounds?: FakeServices['services']['responseBounds'];
}

export interface TestServer extends FakeServices {
  send(request: Request): Promise<Response>;
  close(): Promise<void>;
  /** What the requests from now on share with the process. */
  setWork(work: RequestWork): void;
  post(body: unknown, headers?: Record<string, string>): Promise<Response>;
  execute(query: string, variables?: object, headers?: Record<string, string>): Promise<Answer>;
}
