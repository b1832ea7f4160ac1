import type { Answer } from '../http.ts';

/**
 * Redirects the browser back to the application. Undefined parameters are omitted; the rest is added to the query
 * of the URI.
 */
export function redirectTo(
  redirectUri: string,
  parameters: Readonly<Record<string, string | null | undefined>>,
): Answer {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== null) url.searchParams.set(name, value);
  return { status: 302, headers: { location: url.href, 'cache-control': 'no-store' }, body: '' };
}
