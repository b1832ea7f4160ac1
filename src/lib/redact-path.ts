/**
 * A path as it may be logged. The path of a connect link is a secret: what stands behind `/connect/` is left out, whatever it
 * is, and so is what has the form of a link's token wherever it stands, because people and proxies change paths.
 */
export function redactPath(path: string): string {
  return path.replace(AFTER_CONNECT, '$1…').replace(TOKEN, '…');
}

const AFTER_CONNECT = /(\/(?:c|%63)onnect\/)(?!callback(?:\/|$))[^/]+/gi;
/** Version, key, payload and MAC, with dots between them. */
const TOKEN = /v\d(?:\.|%2e)[\w-]{1,32}(?:\.|%2e)[\w-]{8,}(?:\.|%2e)[\w-]{8,}/gi;
