import { getVariableValues } from 'graphql';
import type { readVariables as original } from '../../../src/graphql/compiled/variables.ts';

export const readVariables: typeof original =
  (schema, definitions = []) =>
  (given) => {
    const { errors, coerced } = getVariableValues(schema, definitions, given);
    return errors ? { errors } : { values: coerced };
  };
