import type { GraphQLSchema } from 'graphql';
import { parse } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { RequestContext } from '../../request/context.ts';
import { admit } from '../admit.ts';
import type { Limits } from '../limits.ts';
import { checkRequest, type Operation, readRequest } from './read-request.ts';

/** From a request to operations that may run: it is looked at, its caller is known, then it is read and admitted. */
export function useRequest({ openContext, schema, limits, requests }: Options): Plugin {
  return {
    async onRequestParse({ request, setRequestParser }) {
      checkRequest(request);
      requests.set(request, { context: await openContext(request.headers), spent: 0 });
      setRequestParser((one) => readRequest(one, limits));
    },
    onParse({ setParseFn }) {
      setParseFn((source, options) => parse(source, { ...options, maxTokens: limits.tokens }));
      return ({ result, context }) => {
        const opened = requests.get(context.request);
        if (!opened || result instanceof Error) return;
        const { operationName, variables = {} } = context.params as Operation;
        opened.spent += admit({
          schema,
          document: result,
          operationName,
          variables,
          method: context.request.method,
          isCallerKnown: opened.context.caller !== undefined,
          limits,
          spent: opened.spent,
        });
      };
    },
    onExecute({ executeFn, setExecuteFn }) {
      // Resolvers see our request, and nothing of the server's.
      setExecuteFn((args) =>
        executeFn({ ...args, contextValue: requests.get(args.contextValue.request)?.context }),
      );
    },
  };
}

/** A request while it lives: its operations, where it carries several, share one context. */
export interface OpenedRequest {
  readonly context: RequestContext;
  /** What its operations cost so far. */
  spent: number;
}

export type OpenedRequests = WeakMap<Request, OpenedRequest>;

interface Options {
  openContext(headers: Headers): Promise<RequestContext>;
  readonly schema: GraphQLSchema;
  readonly limits: Limits;
  readonly requests: OpenedRequests;
}
