import type { Credentials } from '../../domain/connection.ts';

/** The current and former secrets of one connection. */
export function createConnectionSecrets(publicPrefix: RegExp | undefined) {
  let list: readonly string[] = [];
  return {
    add(...given: readonly string[]): void {
      const hidden = given.map((secret) =>
        publicPrefix ? secret.replace(publicPrefix, '') : secret,
      );
      // Moved to the end, so that the least recently used secrets are evicted first.
      const others = list.filter((secret) => !hidden.includes(secret));
      list = newest([...others, ...hidden].filter((secret) => secret !== ''));
    },
    /** Returns the same array until a secret is added. */
    list: () => list,
    /** The memory that they take. */
    bytes: () => list.reduce((sum, { length }) => sum + length, 0),
  };
}

/** The newest secrets within the limits, and in any case those that are in use. */
function newest(list: readonly string[]): readonly string[] {
  let length = 0;
  let first = list.length;
  for (let count = 1; count <= Math.min(MAX_KEPT, list.length); count += 1) {
    length += list.at(-count)?.length ?? 0;
    if (count > IN_USE && length > MAX_KEPT_LENGTH) break;
    first = list.length - count;
  }
  return list.slice(first);
}

export function secretsOf(credentials: Credentials): readonly string[] {
  if (credentials.type === 'token') return [credentials.value];
  const { accessToken, refreshToken } = credentials;
  return refreshToken === null ? [accessToken] : [accessToken, refreshToken];
}

/** Half a day of access tokens at one per half hour: longer than providers echo old ones. */
const MAX_KEPT = 50;
const MAX_KEPT_LENGTH = 32 * 1024;
/** An access token, a refresh token and a client secret, of at most 16 KiB each. */
const IN_USE = 3;
