/** An address of the console: the names of its path, and its filters. */
export interface Address {
  /** Decoded, without `/console`. */
  readonly path: readonly string[];
  readonly filters: Readonly<Record<string, string>>;
}

/** The path of the console. It is below that of the public URL, where this has one. */
let root = '/console';

export function setBase(base: string): void {
  root = `${base}/console`;
}

/** Reads an address. A part that is not percent-encoded UTF-8 stays as it is. */
export function readAddress({ pathname, search }: { pathname: string; search: string }): Address {
  const path = pathname
    .slice(root.length)
    .split('/')
    .filter((part) => part !== '')
    .map(decode);
  return { path, filters: Object.fromEntries(new URLSearchParams(search)) };
}

/** The inverse of `readAddress`. Filters without a value are left out. */
export function toHref(
  path: readonly string[],
  filters: Readonly<Record<string, string | undefined>> = {},
): string {
  const given = Object.entries(filters).filter((entry): entry is [string, string] =>
    Boolean(entry[1]),
  );
  const query = new URLSearchParams(given).toString();
  const pathname = [root, ...path.map(encodeURIComponent)].join('/');
  return query === '' ? pathname : `${pathname}?${query}`;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
