import { authExchange } from '@urql/exchange-auth';
import { Client, fetchExchange } from 'urql';
import { backend } from './backend.ts';

/**
 * A GraphQL client whose tokens come from the backend, and are renewed before they expire, or when one is rejected.
 */
export function createCrossbookClient(url: string): Client {
  return new Client({
    url,
    // Search terms must not be in URLs, which are logged.
    preferGetMethod: false,
    // Without a cache exchange: every search queries the CRM.
    exchanges: [
      authExchange(async ({ appendHeaders }) => {
        let current = await backend.issueToken();
        return {
          addAuthToOperation: (operation) =>
            appendHeaders(operation, { authorization: `Bearer ${current.token}` }),
          willAuthError: () => Date.parse(current.expiresAt) - Date.now() < MARGIN_MS,
          didAuthError: ({ graphQLErrors }) =>
            graphQLErrors.some(({ extensions }) => extensions['code'] === 'UNAUTHORIZED'),
          async refreshAuth() {
            current = await backend.issueToken();
          },
        };
      }),
      fetchExchange,
    ],
  });
}

/** For the duration of a request. */
const MARGIN_MS = 2_000;
