import { decode, encode } from '@jridgewell/sourcemap-codec';

/** Node parses the complete map before it runs the file: mappings to packages, four fifths of it, are removed. */
export function keepOwnSources(contents) {
  const map = JSON.parse(Buffer.from(contents).toString());
  const places = new Map();
  for (const [index, source] of map.sources.entries()) {
    if (!source.includes('node_modules/')) places.set(index, places.size);
  }
  const mappings = decode(map.mappings).map((line) => keepOwnSegments(line, places));
  const sources = map.sources.filter((_, index) => places.has(index));
  return JSON.stringify({ version: map.version, sources, names: [], mappings: encode(mappings) });
}

function keepOwnSegments(line, places) {
  const kept = [];
  let isOurs = true;
  for (const [column, source, sourceLine, sourceColumn] of line) {
    const place = places.get(source);
    if (place !== undefined) kept.push([column, place, sourceLine, sourceColumn]);
    // A segment without a source ends the previous one.
    else if (isOurs) kept.push([column]);
    isOurs = place !== undefined;
  }
  return kept;
}
