/**
 * Undefined where node-postgres cannot read the URL, or finds no name of a database in it. As there, the host may be
 * empty: `user@/name?host=/folder`.
 */
export function parseDatabaseUrl(text: string): URL | undefined {
  const address = text.replace('@/', '@localhost/');
  if (!/^postgres(ql)?:\/\//.test(address) || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  // An @ in the path or anything behind a # is the end of a password that is not percent-encoded.
  return /^\/[^@]+$/.test(url.pathname) && url.hash === '' ? url : undefined;
}
