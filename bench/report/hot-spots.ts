import type { Profiler, Runtime } from 'node:inspector';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../support/paths.ts';

/** Where samples were taken, by function and by place: the share of all that were not idle. */
export function readHotSpots({ nodes, samples = [] }: Profiler.Profile): HotSpots {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const functions = new Map<string, number>();
  const places = new Map<string, number>();
  const whole = new Map<string, number>();
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])));
  let total = 0;
  for (const sample of samples) {
    const frame = frames.get(sample);
    if (!frame || frame.functionName === '(idle)') continue;
    total += 1;
    add(functions, toName(frame));
    add(places, frame.url ? toPlace(frame.url).room : frame.functionName);
    const own = new Set<string>();
    for (let id: number | undefined = sample; id !== undefined; id = callers.get(id)) {
      const above = frames.get(id);
      if (above?.url.startsWith('file:') && !above.url.includes('node_modules')) own.add(toName(above));
    }
    for (const name of own) add(whole, name);
  }
  return {
    functions: toShares(functions, total, 25),
    places: toShares(places, total, 20),
    whole: toShares(whole, total, 25),
  };
}

function toName({ functionName, url, lineNumber }: Runtime.CallFrame): string {
  return `${functionName || '(anonymous)'}  ${url ? `${toPlace(url).file}:${lineNumber + 1}` : ''}`;
}

export function toHotSpotText({ functions, places, whole }: HotSpots): string {
  const line = ({ name, share }: Share) => `  ${(share * 100).toFixed(1).padStart(5)} %  ${name}`;
  return [
    ...['by place', ...places.map(line)],
    ...['by function, itself', ...functions.map(line)],
    ...['by function of our own, with all that it calls', ...whole.map(line)],
  ].join('\n');
}

/** A folder of the product, a package, or Node itself. */
function toPlace(url: string): { readonly file: string; readonly room: string } {
  if (!url.startsWith('file:'))
    return { file: url, room: url.startsWith('node:') ? 'node' : url.slice(0, 40) };
  const path = fileURLToPath(url).replace(`${ROOT}/`, '');
  const inPackages = path.lastIndexOf('node_modules/');
  if (inPackages >= 0) {
    const file = path.slice(inPackages + 'node_modules/'.length);
    return {
      file,
      room: file
        .split('/')
        .slice(0, file.startsWith('@') ? 2 : 1)
        .join('/'),
    };
  }
  return { file: path, room: path.split('/').slice(0, 2).join('/') };
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function toShares(counts: ReadonlyMap<string, number>, total: number, most: number): readonly Share[] {
  return [...counts]
    .map(([name, count]) => ({ name, share: count / total }))
    .sort((a, b) => b.share - a.share)
    .slice(0, most);
}

interface Share {
  readonly name: string;
  readonly share: number;
}

interface HotSpots {
  readonly functions: readonly Share[];
  readonly places: readonly Share[];
  /** Up to the next await: what runs after it has no caller any more. */
  readonly whole: readonly Share[];
}
