import type { ExecutionResult } from 'graphql';
import type { GraphQLRequest, OperationParams } from '../over-http/read-request.ts';
import { OperationRun, type RunRules } from './operation-run.ts';
import type { Plugins } from './plugins.ts';

/** Runs operations by the steps of `OperationRun`. Yoga, which calls plugins between these steps, is loaded where there are any. */
export async function openOperationEngine(
  rules: RunRules,
  plugins: Plugins | undefined,
): Promise<OperationEngine> {
  if (plugins) {
    const { createPluginEngine } = await import('./plugins.ts');
    return createPluginEngine({ ...rules, plugins });
  }
  return {
    run: (operation, opened) => new OperationRun(operation, opened, rules).run(),
    close: async () => {},
  };
}

export interface OperationEngine {
  /** Resolves whatever happens: errors are in the result. */
  run(operation: OperationParams, opened: GraphQLRequest): Promise<ExecutionResult>;
  /** For plugins that have something to close. */
  close(): Promise<void>;
}
