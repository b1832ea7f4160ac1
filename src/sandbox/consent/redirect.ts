import type { Answer } from '../http.ts';

/** Sends the browser back to the application. What is undefined is left out; the rest is added to what the URI has. */
export function redirectTo(
  redirectUri: string,
  parameters: Readonly<Record<string, string | null | undefined>>,
): Answer {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== null) url.searchParams.set(name, value);
  return { status: 302, headers: { location: url.href, 'cache-control': 'no-store' }, body: '' };
}
