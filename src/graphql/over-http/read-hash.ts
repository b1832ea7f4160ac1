import { CrossbookError } from '../../domain/errors.ts';

/** The hash that names a document, in either of the two spellings that clients have for it. */
export function readHash({ documentId, extensions }: Naming): string | undefined {
  if (documentId !== undefined && documentId !== null) return readSha256(documentId, '`documentId`');
  const { persistedQuery = null } = { ...extensions };
  if (persistedQuery === null) return undefined;
  const { version, sha256Hash } = { ...(persistedQuery as object) } as Record<string, unknown>;
  if (version !== 1) {
    throw new CrossbookError('BAD_REQUEST', 'Of `extensions.persistedQuery`, version 1 is understood.');
  }
  return readSha256(sha256Hash, '`extensions.persistedQuery.sha256Hash`');
}

function readSha256(text: unknown, what: string): string {
  const hash = typeof text === 'string' ? /^(?:sha256:)?([0-9a-f]{64})$/i.exec(text)?.[1] : undefined;
  if (hash) return hash.toLowerCase();
  throw new CrossbookError('BAD_REQUEST', `${what} must be a SHA-256 in hexadecimal.`);
}

interface Naming {
  readonly documentId?: unknown;
  readonly extensions: Readonly<Record<string, unknown>> | undefined;
}
