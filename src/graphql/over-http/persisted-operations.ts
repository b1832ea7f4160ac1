import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createFairCache } from '@crossbook/executor';
import * as z from 'zod';
import { CrossbookError } from '../../domain/errors.ts';
import { parseJson } from '../../lib/json.ts';

/** Finds the document of a request: its text, or the persisted one with its SHA-256. */
export interface PersistedOperations {
  /** Trusted documents only: a request with any other is rejected as a whole. */
  readonly isClosed: boolean;
  /** The text to run. Throws if the hash is unknown, or the document is not allowed. */
  find(named: NamedDocument): string;
}

/**
 * Automatic persisted queries: a client that has sent a document with its hash may later send the hash alone.
 * Documents are cached in memory per application, bounded in bytes; evicted ones have to be sent again.
 */
export function createPersistedOperations(): PersistedOperations {
  const known = createFairCache<string>({
    maxBytes: MAX_BYTES,
    maxEntryBytes: MAX_DOCUMENT_BYTES,
  });
  return {
    isClosed: false,
    find({ query, hash, applicationId }) {
      if (hash === undefined) return query ?? missing();
      const key = `${applicationId} ${hash}`;
      const text = query ?? known.get(key);
      // Clients match this exact detail.
      if (text === undefined)
        throw new CrossbookError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
      if (query === undefined) return text;
      checkHash(query, hash);
      if (applicationId !== undefined)
        known.set(key, query, { owner: applicationId, bytes: 2 * query.length + ENTRY_BYTES });
      return query;
    },
  };
}

/** Trusted documents: the only operations that may run, by their SHA-256 or by their text. */
export function createTrustedOperations(
  manifest: ReadonlyMap<string, string>,
): PersistedOperations {
  return {
    isClosed: true,
    find({ query, hash }) {
      if (query !== undefined && hash !== undefined) checkHash(query, hash);
      const text = manifest.get(hash ?? toHash(query ?? missing()));
      if (text !== undefined) return text;
      throw new CrossbookError(
        'FORBIDDEN',
        'This operation is not a trusted document: the server accepts a fixed list of operations only.',
      );
    },
  };
}

export function toHash(text: string): string {
  return hash('sha256', text, 'hex');
}

function checkHash(query: string, hash: string): void {
  if (toHash(query) !== hash)
    throw new CrossbookError('BAD_REQUEST', 'The hash is not the SHA-256 of the `query`.');
}

function missing(): never {
  throw new CrossbookError('BAD_REQUEST', 'The `query` is missing.');
}

const MAX_BYTES = 4 * 1024 * 1024;
/** 32 Ki characters. Longer documents run, but must be sent each time. */
const MAX_DOCUMENT_BYTES = 64 * 1024;
/** The overhead per entry: the key and the cache's own data. */
const ENTRY_BYTES = 256;

interface NamedDocument {
  readonly query: string | undefined;
  /** Hexadecimal. */
  readonly hash: string | undefined;
  /** The caller's application. Without a caller nothing is stored or found. */
  readonly applicationId: string | undefined;
}

/** Reads the hash of a document in either of the forms that clients use. */
export function readHash({ documentId, extensions }: Naming): string | undefined {
  if (documentId !== undefined && documentId !== null)
    return readSha256(documentId, '`documentId`');
  const { persistedQuery = null } = { ...extensions };
  if (persistedQuery === null) return undefined;
  const { version, sha256Hash } = { ...(persistedQuery as object) } as Record<string, unknown>;
  if (version !== 1) {
    throw new CrossbookError(
      'BAD_REQUEST',
      'Only version 1 of `extensions.persistedQuery` is supported.',
    );
  }
  return readSha256(sha256Hash, '`extensions.persistedQuery.sha256Hash`');
}

function readSha256(text: unknown, what: string): string {
  const hash =
    typeof text === 'string' ? /^(?:sha256:)?([0-9a-f]{64})$/i.exec(text)?.[1] : undefined;
  if (hash) return hash.toLowerCase();
  throw new CrossbookError('BAD_REQUEST', `${what} must be a SHA-256 in hexadecimal.`);
}

interface Naming {
  readonly documentId?: unknown;
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
}

/** Reads the file of trusted documents. Throws with a message for the operator. */
export function readManifest(path: string): ReadonlyMap<string, string> {
  try {
    return parseManifest(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(`The operations of ${path} cannot be read. ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/**
 * Parses trusted documents in the formats of client tools: an object from hash to text (Relay, GraphQL Code
 * Generator), or Apollo's operation list.
 */
export function parseManifest(json: string): ReadonlyMap<string, string> {
  const value = parseJson(json);
  if (value === undefined) throw new Error('It is not JSON.');
  const parsed = shape.safeParse(value);
  if (!parsed.success)
    throw new Error('It must be an object from hash to operation, or a manifest of Apollo.');
  const entries = Object.entries(parsed.data).map(
    ([hash, text]) => [hash.toLowerCase(), text] as const,
  );
  const wrong = entries.find(([hash, text]) => toHash(text) !== hash);
  if (wrong)
    throw new Error(
      `The operation under ${wrong[0]} has a different SHA-256: ${toHash(wrong[1])}.`,
    );
  return new Map(entries);
}

const apollo = z
  .object({
    format: z.literal('apollo-persisted-query-manifest'),
    version: z.literal(1),
    operations: z.array(z.object({ id: z.string(), body: z.string() })),
  })
  .transform(({ operations }) => Object.fromEntries(operations.map(({ id, body }) => [id, body])));

const shape = z.union([apollo, z.record(z.string(), z.string())]);
