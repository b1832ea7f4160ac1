import { execute } from 'graphql';
import type { createExecute as original } from '../../../src/graphql/compiled/execute.ts';

/** It counts no values: what is measured is execution alone. */
export const createExecute: typeof original = () => execute;
