import type { Credentials } from '../../domain/connection.ts';

/** What must never be shown of one connection: what is secret now, and what was. */
export function createConnectionSecrets(publicPrefix: RegExp | undefined): ConnectionSecrets {
  const secrets = new Set<string>();
  let list: readonly string[] = [];
  return {
    add(...given) {
      for (const secret of given) {
        const hidden = publicPrefix ? secret.replace(publicPrefix, '') : secret;
        // Those in use stay behind those that are not.
        secrets.delete(hidden);
        if (hidden !== '') secrets.add(hidden);
      }
      for (const oldest of secrets) {
        if (secrets.size <= MAX_KEPT) break;
        secrets.delete(oldest);
      }
      list = [...secrets];
    },
    list: () => list,
  };
}

export function secretsOf(credentials: Credentials): readonly string[] {
  if (credentials.type === 'token') return [credentials.value];
  const { accessToken, refreshToken } = credentials;
  return refreshToken === null ? [accessToken] : [accessToken, refreshToken];
}

/** With a new access token each half hour, those of half a day: longer than a provider repeats what it was sent. */
const MAX_KEPT = 50;

export interface ConnectionSecrets {
  add(...secrets: readonly string[]): void;
  /** The same list until there is another secret. */
  list(): readonly string[];
}
