import type { ExecutionResult } from 'graphql';
import type { Operation } from '../over-http/read-request.ts';
import type { GraphQLRequest } from '../over-http/start-request.ts';
import { OperationRun, type RunRules } from './operation-run.ts';
import type { Plugins } from './plugins.ts';

/** Runs operations by the steps of `OperationRun`. Yoga, which calls plugins between these steps, is loaded where there are any. */
export async function openEngine(rules: RunRules, plugins: Plugins | undefined): Promise<Engine> {
  if (plugins) {
    const { createPluginEngine } = await import('./plugin-engine.ts');
    return createPluginEngine({ ...rules, plugins });
  }
  return {
    run: (operation, opened) => new OperationRun(operation, opened, rules).run(),
    close: async () => {},
  };
}

export interface Engine {
  /** Resolves whatever happens: errors are in the result. */
  run(operation: Operation, opened: GraphQLRequest): Promise<ExecutionResult>;
  /** For plugins that have something to close. */
  close(): Promise<void>;
}
