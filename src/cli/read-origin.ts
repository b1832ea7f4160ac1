import { UsageError } from './command.ts';

/** Exactly what a browser sends as its origin. A wildcard is none: every origin that may call is named. */
export function readOrigin(text: string): string {
  const url = !text.includes('*') && URL.canParse(text) ? new URL(text) : undefined;
  const isOrigin =
    url && /^https?:$/.test(url.protocol) && [url.origin, `${url.origin}/`].includes(text.toLowerCase());
  if (isOrigin) return url.origin;
  throw new UsageError(`Not a web origin: ${text}. It is a scheme and a host, such as https://app.example`);
}
