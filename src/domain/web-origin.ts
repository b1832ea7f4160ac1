/** Exactly what a browser sends as its origin. Undefined for all else: a wildcard is none, every origin is named. */
export function toWebOrigin(text: string): string | undefined {
  const url = !text.includes('*') && URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin =
    url && /^https?:$/.test(url.protocol) && [url.origin, `${url.origin}/`].includes(text.toLowerCase());
  return isOrigin ? url.origin : undefined;
}
