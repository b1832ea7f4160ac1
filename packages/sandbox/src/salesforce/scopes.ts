/**
 * The requested scopes, by their normalized names; undefined if one is unknown. None requested: all of the
 * application.
 */
export function readScopes(text: string | null): readonly string[] | undefined {
  const requested = (text ?? '').split(/\s+/).filter((scope) => scope !== '');
  const scopes = requested.length === 0 ? DEFAULT_SCOPES : requested.map(toName);
  return scopes.every((scope) => scope in WORDS) ? [...new Set(scopes)] : undefined;
}

/** The description of a scope on the consent page. */
export function describeScope(scope: string): string {
  return WORDS[scope] ?? scope;
}

/** The two names are synonyms. */
function toName(scope: string): string {
  return scope === 'offline_access' ? REFRESH_SCOPE : scope;
}

export const REFRESH_SCOPE = 'refresh_token';
export const DEFAULT_SCOPES: readonly string[] = [REFRESH_SCOPE, 'api', 'id'];

const WORDS: Readonly<Record<string, string>> = {
  api: 'Manage user data via APIs',
  [REFRESH_SCOPE]: 'Perform requests at any time',
  id: 'Access the identity URL service',
  openid: 'Access unique user identifiers',
  profile: 'Access the profile',
  email: 'Access the email address',
  address: 'Access the address',
  phone: 'Access the phone number',
  web: 'Manage user data via Web browsers',
  full: 'Full access',
  chatter_api: 'Access Connect REST API resources',
};
