/** The scopes of an app, with the words of the consent page. */
const SCOPES: Readonly<Record<string, string>> = {
  base: 'Read basic information of the company and the user',
  'contacts:read': 'Read persons and organizations',
  'contacts:full': 'Read and change persons and organizations',
  'deals:read': 'Read deals',
  'deals:full': 'Read and change deals',
  'search:read': 'Search everything',
  'users:read': 'Read users',
};

export const ALL_SCOPES: readonly string[] = Object.keys(SCOPES);

export function describeScope(scope: string): string {
  return SCOPES[scope] ?? scope;
}
