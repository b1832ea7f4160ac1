import type { Profiler, Runtime } from 'node:inspector';
import { createSourcePlaces } from './source-places.ts';

/** Profiler samples by function and by position: the share of the time that was not idle. */
export function readHotSpots({ nodes, samples = [] }: Profiler.Profile): HotSpots {
  const placeOf = createSourcePlaces();
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const functions = new Map<string, number>();
  const places = new Map<string, number>();
  const whole = new Map<string, number>();
  const callers = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  );
  let total = 0;
  for (const sample of samples) {
    const frame = frames.get(sample);
    if (!frame || frame.functionName === '(idle)') continue;
    total += 1;
    add(functions, toName(frame));
    add(places, placeOf(frame).room || frame.functionName);
    const own = new Set<string>();
    for (let id: number | undefined = sample; id !== undefined; id = callers.get(id)) {
      const above = frames.get(id);
      if (above?.url.startsWith('file:') && !above.url.includes('node_modules'))
        own.add(toName(above));
    }
    for (const name of own) add(whole, name);
  }
  function toName(frame: Runtime.CallFrame): string {
    const { file, line } = placeOf(frame);
    return `${frame.functionName || '(anonymous)'}  ${file ? `${file}:${line}` : ''}`;
  }

  return {
    functions: toShares(functions, total, 25),
    places: toShares(places, total, 20),
    whole: toShares(whole, total, 25),
  };
}

export function toHotSpotText({ functions, places, whole }: HotSpots): string {
  const line = ({ name, share }: Share) => `  ${(share * 100).toFixed(1).padStart(5)} %  ${name}`;
  return [
    'by place',
    ...places.map(line),
    'by function, itself',
    ...functions.map(line),
    'by function of our own, with all that it calls',
    ...whole.map(line),
  ].join('\n');
}

function add(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

function toShares(
  counts: ReadonlyMap<string, number>,
  total: number,
  most: number,
): readonly Share[] {
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
  /** Up to the next await: code after it has no caller. */
  readonly whole: readonly Share[];
}
