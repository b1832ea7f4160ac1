import { createYoga } from 'graphql-yoga';
import type { HttpAnswer } from '../../lib/http-message.ts';
import type { OpenedRequest } from './open-request.ts';
import { type GraphiQLOptions, useGraphiQL } from './use-graphiql.ts';
import { type OpenedRequests, type RequestOptions, useRequest } from './use-request.ts';
import { useResponse } from './use-response.ts';

/** Everything that is not one operation in a POST: GET, batches, GraphiQL, and what is wrong in HTTP. */
export function createYogaPath(options: YogaOptions): AnswerByYoga {
  const { path, schema, limits, introspection, graphiql } = options;
  const requests: OpenedRequests = new WeakMap();
  const yoga = createYoga({
    schema,
    graphqlEndpoint: path,
    plugins: [
      useResponse({ path, requests, suggestions: introspection }),
      graphiql !== false && useGraphiQL({ path, ...graphiql }),
      useRequest({ ...options, requests }),
    ],
    // The store is the only one: Yoga's own keeps a thousand documents of any size.
    parserAndValidationCache: false,
    batching: { limit: limits.batch },
    // Ours: the plugins above do it in the one error shape, or more cheaply.
    maskedErrors: false,
    logging: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    cors: false,
    maxRequestBodySize: false,
  });

  /** It is shown the request without its body: what is in that is read by us. */
  return async (opened) => {
    const { method, url, headers } = opened.request;
    const shown = new yoga.fetchAPI.Request(url.href, { method, headers: Object.fromEntries(headers) });
    requests.set(shown, opened);
    const response = await yoga.fetch(shown);
    const body = new Uint8Array(await response.arrayBuffer());
    const { status } = response;
    return { status, headers: Object.fromEntries(response.headers), body: body.length > 0 ? body : null };
  };
}

export type AnswerByYoga = (opened: OpenedRequest) => Promise<HttpAnswer>;

interface YogaOptions extends Omit<RequestOptions, 'requests'> {
  readonly path: string;
  readonly introspection: boolean;
  readonly graphiql: GraphiQLOptions | false;
}
