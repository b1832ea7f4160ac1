import type { GraphQLSchema } from 'graphql';
import type { GraphQLParams, Plugin } from 'graphql-yoga';
import type { Execute } from '../fast/execute.ts';
import type { DocumentStore } from './document-store.ts';
import { type OpenDeps, type OpenedRequest, openRequest } from './open-request.ts';
import type { Operation } from './read-request.ts';
import { admitOperation, findDocument, parseDocument, runOperation } from './run-operation.ts';

/** From a request to operations that may run: it is looked at, its caller is known, then it is read and admitted. */
export function useRequest({ schema, execute, store, requests, ...deps }: RequestOptions): Plugin {
  const rules = { schema, execute, store, limits: deps.limits };
  return {
    async onRequestParse({ request, setRequestParser }) {
      const opened = readOpened(requests, request);
      const operations = opened.operations ?? (await openRequest(opened, deps));
      setRequestParser(() => operations as GraphQLParams | GraphQLParams[]);
    },
    async onParams({ request, params }) {
      // Operations of a batch come one after the other, and others between them.
      const opened = readOpened(requests, request);
      if (!findDocument(params.query ?? '', opened, store)) await opened.journal.permit.takeTurn();
    },
    onParse({ context: { request }, setParseFn }) {
      setParseFn((source) =>
        parseDocument(
          typeof source === 'string' ? source : source.body,
          readOpened(requests, request),
          rules,
        ),
      );
      return ({ result, context }) => {
        const opened = readOpened(requests, context.request);
        if (result instanceof Error) return;
        const operation = context.params as Operation;
        admitOperation({ opened, document: result, operation }, rules);
      };
    },
    onValidate({ setValidationFn }) {
      setValidationFn((_schema, document) => store.validate(document));
    },
    onExecute({ setExecuteFn }) {
      setExecuteFn((args) => runOperation(readOpened(requests, args.contextValue.request), rules, args));
    },
  };
}

export function readOpened(requests: OpenedRequests, request: Request): OpenedRequest {
  const opened = requests.get(request);
  if (!opened) throw new Error('A request was handled that was never opened.');
  return opened;
}

export type OpenedRequests = WeakMap<Request, OpenedRequest>;

export interface RequestOptions extends OpenDeps {
  readonly schema: GraphQLSchema;
  readonly execute: Execute;
  readonly store: DocumentStore;
  readonly requests: OpenedRequests;
}
