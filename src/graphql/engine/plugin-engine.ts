import type { ExecutionResult } from 'graphql';
import { createYoga, type GraphQLParams, type Plugin } from 'graphql-yoga';
import type { Caller } from '../../domain/caller.ts';
import type { Engine } from './engine.ts';
import { OperationRun, type RunRules } from './operation-run.ts';
import { toPluginRequest } from './plugin-request.ts';
import type { Plugins } from './plugins.ts';
import { RUN, useAdmission, useOperation } from './use-operation.ts';

/**
 * Yoga's engine for single operations: it calls the plugins before and after the steps of `OperationRun`. Yoga's HTTP layer is
 * not used: reading requests, limits and writing responses is done around it. Throws where a plugin relies on a hook of that
 * layer.
 */
export function createPluginEngine(options: EngineOptions): Engine {
  const first = useOperation(options);
  const yoga = createYoga<OperationContext>({
    schema: options.schema,
    plugins: [first, ...(Object.values(options.plugins) as Plugin[]), useAdmission(options, first)],
    extraParamNames: ['documentId'],
    // The store of documents is the only one: Yoga's own keeps a thousand of any size.
    parserAndValidationCache: false,
    maskedErrors: false,
    logging: false,
    graphiql: false,
    landingPage: false,
    multipart: false,
    cors: false,
    maxRequestBodySize: false,
  });
  // Its methods are bound each time that they are looked up.
  const { getResultForParams } = yoga;

  return {
    async run(operation, opened) {
      try {
        opened.shown ??= toPluginRequest(opened.request);
        const request = opened.shown;
        const run = new OperationRun(operation, opened, options);
        const context = { request, caller: opened.context?.caller, [RUN]: run };
        // Without @defer, @stream and subscriptions there is nothing that comes in pieces.
        const result = getResultForParams({ params: operation as GraphQLParams, request }, context);
        return ((await result) ?? {}) as ExecutionResult;
      } catch (error) {
        return { errors: [error as never] };
      }
    },
    async close() {
      await yoga.dispose();
    },
  };
}

export interface EngineOptions extends RunRules {
  /** By the names that they are refused under. */
  readonly plugins: Plugins;
}

/** What plugins find in their context, beside what Yoga and they add. */
export interface OperationContext {
  readonly request: Request;
  /** Undefined: a stranger, who may ask of the schema alone. */
  readonly caller: Caller | undefined;
  readonly [RUN]: OperationRun;
}
