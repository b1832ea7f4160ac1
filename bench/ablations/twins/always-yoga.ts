import type { openOperationEngine as original } from '../../../src/graphql/engine/operation-run.ts';
import { createPluginEngine } from '../../../src/graphql/engine/plugins.ts';

/** As with a plugin that does nothing. */
export const openOperationEngine: typeof original = async (rules, plugins = {}) =>
  createPluginEngine({ ...rules, introspection: undefined, plugins });
