/**
 * May a customer's browser be sent back there, with a one-time code? What URL parsers would silently mend or read
 * differently (backslashes, tabs, user names, full-width letters) is refused in the text itself; then its origin has to
 * be one of the application's, to the letter.
 */
export function checkReturnUrl(
  text: string,
  origins: readonly string[],
): { readonly url: string } | { readonly problem: string } {
  if (text.length > MAX_LENGTH) return { problem: `it is longer than ${MAX_LENGTH} characters` };
  if (!PLAIN.test(text)) return { problem: 'it has characters that do not belong there' };
  const [, written = '', authority = ''] = PARTS.exec(text) ?? [];
  if (authority === '' || !URL.canParse(text)) return { problem: 'it is not an http(s) URL' };
  if (authority.includes('@')) return { problem: 'it has a user name in it' };
  if (text.includes('#')) return { problem: 'it has a fragment' };
  const { origin, href } = new URL(text);
  if (written.toLowerCase() !== origin) return { problem: 'its origin is not written in its usual form' };
  if (!origins.includes(origin))
    return { problem: `its origin ${origin} is not registered for the application` };
  return { url: href };
}

/** The page to return to, with what became of the link. */
export function toReturnUrl(returnUrl: string, result: ReturnedResult): string {
  const url = new URL(returnUrl);
  const { connectLinkId, status, error, code } = result;
  const values = { connect_link_id: connectLinkId, status, error, code };
  for (const [name, value] of Object.entries(values)) {
    url.searchParams.delete(name);
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url.href;
}

const MAX_LENGTH = 2_048;
/** What a URL is written in: visible ASCII, without what parsers are known to disagree about. */
const PLAIN = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*$/;
const PARTS = /^(https?:\/\/([^/?#]+))/i;

export interface ReturnedResult {
  readonly connectLinkId: string;
  readonly status: string;
  readonly error?: string | undefined;
  /** For the application to redeem, once. */
  readonly code?: string | undefined;
}
