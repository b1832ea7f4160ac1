import { getArgumentValues } from 'graphql';
import type { readArguments as original } from '../../../src/graphql/compiled/arguments.ts';

export const readArguments: typeof original = (definition, node, variables) =>
  getArgumentValues(definition, node, variables);
