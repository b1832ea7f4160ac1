import type { GraphQLSchema } from 'graphql';
import { parse } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Journal } from '../../domain/journal.ts';
import type { RequestContext } from '../../request/context.ts';
import { admit } from '../admit.ts';
import type { Execute } from '../fast/execute.ts';
import type { Limits } from '../limits.ts';
import { checkNesting } from '../nesting.ts';
import { readOperation } from '../operation-notes.ts';
import type { Documents } from './documents.ts';
import { checkRequest, type Operation, readRequest } from './read-request.ts';

/** From a request to operations that may run: it is looked at, its caller is known, then it is read and admitted. */
export function useRequest({ openContext, schema, execute, limits, documents, requests }: Options): Plugin {
  return {
    async onRequestParse({ request, setRequestParser }) {
      checkRequest(request);
      const opened = readOpened(requests, request);
      opened.context = await openContext(request.headers, opened.journal);
      await opened.context.admit();
      const isCallerKnown = opened.context.caller !== undefined;
      setRequestParser((one) => readRequest(one, { limits, documents, isCallerKnown }));
    },
    onParse({ setParseFn }) {
      setParseFn((source, options) => {
        checkNesting(typeof source === 'string' ? source : source.body, limits.nesting);
        return parse(source, { ...options, maxTokens: limits.tokens });
      });
      return ({ result, context }) => {
        const opened = readOpened(requests, context.request);
        if (result instanceof Error) return;
        const { operationName, variables = {} } = context.params as Operation;
        opened.spent += admit({
          schema,
          document: result,
          operationName,
          variables,
          method: context.request.method,
          isCallerKnown: opened.context?.caller !== undefined,
          limits,
          spent: opened.spent,
        });
      };
    },
    onExecute({ setExecuteFn }) {
      // Resolvers see our request, and nothing of the server's.
      setExecuteFn((args) => {
        const { context, journal } = readOpened(requests, args.contextValue.request);
        const operation = readOperation(args.document, args.operationName ?? undefined);
        journal.note(operation);
        return journal.operation(operation.operation, async () =>
          execute({ ...args, contextValue: context }),
        );
      });
    },
  };
}

export function readOpened(requests: OpenedRequests, request: Request): OpenedRequest {
  const opened = requests.get(request);
  if (!opened) throw new Error('A request was handled that was never opened.');
  return opened;
}

/** A request while it lives: its operations, where it carries several, share one context. */
export interface OpenedRequest {
  readonly journal: Journal;
  /** Once it is known who calls. */
  context: RequestContext | undefined;
  /** What its operations cost so far. */
  spent: number;
}

export type OpenedRequests = WeakMap<Request, OpenedRequest>;

interface Options {
  openContext(headers: Headers, journal: Journal): Promise<RequestContext>;
  readonly schema: GraphQLSchema;
  readonly execute: Execute;
  readonly limits: Limits;
  readonly documents: Documents;
  readonly requests: OpenedRequests;
}
