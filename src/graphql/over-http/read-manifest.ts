import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { toHash } from './persisted-operations.ts';

/** The file of an installation that answers to known operations only. Throws with words for whoever starts it. */
export function readManifest(path: string): ReadonlyMap<string, string> {
  try {
    return parseManifest(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(
      `The operations of ${path} cannot be read. ${error instanceof Error ? error.message : ''}`,
      {
        cause: error,
      },
    );
  }
}

/**
 * Operations that are known beforehand, as the tools of clients write them: one object from hash to text (Relay, GraphQL
 * Code Generator), or Apollo's list of operations.
 */
export function parseManifest(json: string): ReadonlyMap<string, string> {
  const parsed = shape.safeParse(parse(json));
  if (!parsed.success)
    throw new Error('It must be an object from hash to operation, or a manifest of Apollo.');
  const entries = Object.entries(parsed.data).map(([hash, text]) => [hash.toLowerCase(), text] as const);
  const wrong = entries.find(([hash, text]) => toHash(text) !== hash);
  if (wrong) throw new Error(`The operation under ${wrong[0]} has another SHA-256: ${toHash(wrong[1])}.`);
  return new Map(entries);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Error('It is not JSON.');
  }
}

const apollo = z
  .object({
    format: z.literal('apollo-persisted-query-manifest'),
    version: z.literal(1),
    operations: z.array(z.object({ id: z.string(), body: z.string() })),
  })
  .transform(({ operations }) => Object.fromEntries(operations.map(({ id, body }) => [id, body])));

const shape = z.union([apollo, z.record(z.string(), z.string())]);
