import { createHash } from 'node:crypto';
import { CrossbookError } from '../../domain/errors.ts';
import { type CacheMemory, createFairCache } from '../../lib/fair-cache.ts';

/** Finds the document of a request: its text, or the persisted one with its SHA-256. */
export interface PersistedOperations {
  /** Trusted documents only: a request with any other is rejected as a whole. */
  readonly isClosed: boolean;
  /** The text that is to run. Throws where the hash leads to none, or the document may not be asked for. */
  find(named: NamedDocument): string;
}

/**
 * Automatic persisted queries: a client that has sent a document with its hash may leave the document out the next time.
 * Documents are kept in memory, bounded in bytes, for their application alone; one that was evicted is sent again.
 */
export function createPersistedOperations(memory?: CacheMemory): PersistedOperations {
  const known = createFairCache<string>({ maxBytes: MAX_BYTES, maxEntryBytes: MAX_DOCUMENT_BYTES, memory });
  return {
    isClosed: false,
    find({ query, hash, applicationId }) {
      if (hash === undefined) return query ?? missing();
      const key = `${applicationId} ${hash}`;
      const text = query ?? known.get(key);
      // The detail is what clients look for.
      if (text === undefined) throw new CrossbookError('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
      if (query === undefined) return text;
      checkHash(query, hash);
      if (applicationId !== undefined)
        known.set(key, query, { owner: applicationId, bytes: 2 * query.length + ENTRY_BYTES });
      return query;
    },
  };
}

/** Trusted documents: the only operations that may run, by their SHA-256 or by their text. */
export function createTrustedOperations(manifest: ReadonlyMap<string, string>): PersistedOperations {
  return {
    isClosed: true,
    find({ query, hash }) {
      if (query !== undefined && hash !== undefined) checkHash(query, hash);
      const text = manifest.get(hash ?? toHash(query ?? missing()));
      if (text !== undefined) return text;
      throw new CrossbookError(
        'FORBIDDEN',
        'Only known operations may be asked for here; this is none of them.',
      );
    },
  };
}

export function toHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function checkHash(query: string, hash: string): void {
  if (toHash(query) !== hash)
    throw new CrossbookError('BAD_REQUEST', 'The hash is not the SHA-256 of the `query`.');
}

function missing(): never {
  throw new CrossbookError('BAD_REQUEST', 'The `query` is missing.');
}

const MAX_BYTES = 4 * 1024 * 1024;
/** Of 32 Ki characters. A longer document runs, but has to be sent each time. */
const MAX_DOCUMENT_BYTES = 64 * 1024;
/** Of the key, and of what the cache has for it. */
const ENTRY_BYTES = 256;

export interface NamedDocument {
  readonly query: string | undefined;
  /** In hexadecimal. */
  readonly hash: string | undefined;
  /** The caller's. Without a caller nothing is kept, and nothing is found. */
  readonly applicationId: string | undefined;
}
