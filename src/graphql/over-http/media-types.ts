export const JSON_TYPE = 'application/json';
export const GRAPHQL_TYPE = 'application/graphql-response+json';

/** The better of the two that we can answer with; undefined where neither is accepted. Silence means JSON. */
export function chooseMediaType(accept: string | null): string | undefined {
  if (accept === null || accept.trim() === '') return JSON_TYPE;
  const ranges = accept.toLowerCase().split(',').map(readRange);
  const choices = [JSON_TYPE, GRAPHQL_TYPE].map((type) => ({ type, ...weigh(type, ranges) }));
  const acceptable = choices.filter(({ quality }) => quality > 0);
  // Of two that are accepted alike, the one that was named first.
  return acceptable.sort((a, b) => b.quality - a.quality || a.position - b.position)[0]?.type;
}

/** Says the client that it takes plain JSON and not the media type that GraphQL has for itself? */
export function acceptsJsonAlone(accept: string | null): boolean {
  const ranges = (accept ?? '').toLowerCase().split(',').map(readRange);
  return weigh(JSON_TYPE, ranges).quality > 0 && weigh(GRAPHQL_TYPE, ranges).quality === 0;
}

/** Only JSON, and only in UTF-8. */
export function isJson(contentType: string | null): boolean {
  if (contentType === JSON_TYPE) return true;
  const [type, ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (type !== JSON_TYPE) return false;
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset);
}

function weigh(type: string, ranges: readonly Range[]): { quality: number; position: number } {
  const names = [type, 'application/*', '*/*'];
  // The most specific range that fits decides.
  for (const name of names) {
    const position = ranges.findIndex((range) => range.name === name);
    const range = ranges[position];
    if (range) return { quality: range.quality, position };
  }
  return { quality: 0, position: 0 };
}

function readRange(text: string): Range {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  const isReadable = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  return { name, quality: isReadable ? Number(quality ?? 1) || 0 : 0 };
}

interface Range {
  readonly name: string;
  readonly quality: number;
}
