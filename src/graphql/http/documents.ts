import { createHash } from 'node:crypto';
import { CrossbookError } from '../../domain/errors.ts';

/** A document may be sent as it is, or be named by its SHA-256 if it is known. */
export interface Documents {
  /** The text that is to run. Throws where the hash leads to none, or the document may not be asked for. */
  find(named: NamedDocument): string;
}

/**
 * What clients call automatic persisted queries: one who sends a document with its hash may leave the document out the
 * next time. It lives in memory and is bounded; whoever asks for what is not there any more sends it again.
 */
export function createAutomaticDocuments(): Documents {
  const known = new Map<string, string>();
  return {
    find({ query, hash, isCallerKnown }) {
      if (hash === undefined) return query ?? missing();
      const text = query ?? known.get(hash);
      if (text === undefined) {
        throw new CrossbookError(
          'PERSISTED_QUERY_NOT_FOUND',
          'No document with this hash is known here, or no longer: send it together with the hash.',
        );
      }
      if (query !== undefined) checkHash(query, hash);
      if (isCallerKnown && text.length <= MAX_LENGTH) keep(hash, text);
      return text;
    },
  };

  /** A map keeps the order of insertion: the first one has not been asked for the longest. */
  function keep(hash: string, text: string): void {
    known.delete(hash);
    known.set(hash, text);
    const [oldest] = known.keys();
    if (known.size > MAX_DOCUMENTS && oldest !== undefined) known.delete(oldest);
  }
}

/** The only operations that may be asked for, by their SHA-256 or by their text. */
export function createKnownDocuments(manifest: ReadonlyMap<string, string>): Documents {
  return {
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

/** Together some 30 MB at the very most. */
const MAX_DOCUMENTS = 500;
/** In characters. A longer document runs, but has to be sent each time. */
const MAX_LENGTH = 32 * 1024;

export interface NamedDocument {
  readonly query: string | undefined;
  /** In hexadecimal. */
  readonly hash: string | undefined;
  /** What nobody's client asks for is not kept. */
  readonly isCallerKnown: boolean;
}
