import { createHash } from 'node:crypto';
import { readOperations } from './read-operations.mjs';

/** A plugin for GraphQL Code Generator: every operation under the SHA-256 of its text. */
export function plugin(_schema, documents) {
  const entries = readOperations(documents).map(({ text }) => [
    createHash('sha256').update(text).digest('hex'),
    text,
  ]);
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}
