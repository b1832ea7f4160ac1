import { existsSync, readFileSync } from 'node:fs';
import type { Runtime } from 'node:inspector';
import { SourceMap } from 'node:module';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../support/paths.ts';

/** The source position of a frame's function, through the source map of a bundle if there is one. */
export function createSourcePlaces(): (frame: Runtime.CallFrame) => Place {
  const maps = new Map<string, SourceMap | undefined>();
  const places = new Map<string, Place>();

  return (frame) => {
    const { url, lineNumber, columnNumber } = frame;
    const key = `${url}:${lineNumber}:${columnNumber}`;
    const cached = places.get(key);
    if (cached) return cached;
    const place = toAddressBucket(frame, readMap(url)?.findEntry(lineNumber, columnNumber));
    places.set(key, place);
    return place;
  };

  function readMap(url: string): SourceMap | undefined {
    if (!url.startsWith('file:')) return undefined;
    if (!maps.has(url)) {
      const path = `${fileURLToPath(url)}.map`;
      maps.set(
        url,
        existsSync(path) ? new SourceMap(JSON.parse(readFileSync(path, 'utf8'))) : undefined,
      );
    }
    return maps.get(url);
  }
}

function toAddressBucket({ url, lineNumber }: Runtime.CallFrame, entry?: object): Place {
  if (!url.startsWith('file:')) return { file: url, line: lineNumber + 1, room: url ? 'node' : '' };
  const found = entry as Partial<Entry> | undefined;
  // Paths in the map are relative to the bundle.
  const path =
    found?.originalSource?.replace(/^(\.\.\/)+/, '') ?? fileURLToPath(url).replace(`${ROOT}/`, '');
  const line = (found?.originalSource ? (found.originalLine ?? 0) : lineNumber) + 1;
  const inPackages = path.lastIndexOf('node_modules/');
  // A bundle has no sources of packages.
  if (path.includes('dist/')) return { file: path, line, room: 'packages' };
  if (inPackages < 0) return { file: path, line, room: path.split('/').slice(0, 2).join('/') };
  const file = path.slice(inPackages + 'node_modules/'.length);
  const room = file.split('/').slice(0, file.startsWith('@') ? 2 : 1);
  return { file, line, room: room.join('/') };
}

export interface Place {
  readonly file: string;
  readonly line: number;
  /** A folder of the product, a package, or Node itself; empty for V8 internals. */
  readonly room: string;
}

interface Entry {
  readonly originalSource: string;
  readonly originalLine: number;
}
