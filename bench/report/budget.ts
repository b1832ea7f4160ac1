import type { Profiler } from 'node:inspector';
import { createSourcePlaces } from './source-places.ts';

/**
 * The CPU time of each folder per response. Node and V8 functions are charged to the folder that called them; what
 * none of our code called (HTTP parsing, garbage collection, microtasks) is listed separately.
 */
export function readBudget({ nodes, samples = [] }: Profiler.Profile): readonly Charge[] {
  const placeOf = createSourcePlaces();
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const callers = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  );
  const charges = new Map<string, { own: number; below: number }>();
  let total = 0;
  for (const sample of samples) {
    const frame = frames.get(sample);
    if (!frame || frame.functionName === '(idle)') continue;
    total += 1;
    const { room, isOwn } = findRoom(sample);
    const charge = charges.get(room) ?? { own: 0, below: 0 };
    charges.set(room, charge);
    charge[isOwn ? 'own' : 'below'] += 1;
  }
  return [...charges]
    .map(([room, { own, below }]) => ({ room, own: own / total, below: below / total }))
    .sort((left, right) => right.own + right.below - left.own - left.below);

  function findRoom(sample: number): { readonly room: string; readonly isOwn: boolean } {
    for (let id: number | undefined = sample; id !== undefined; id = callers.get(id)) {
      const frame = frames.get(id);
      const room = frame ? placeOf(frame).room : '';
      if (room !== '' && room !== 'node') return { room, isOwn: id === sample };
    }
    const frame = frames.get(sample);
    return { room: frame?.url ? 'node' : (frame?.functionName ?? ''), isOwn: true };
  }
}

/** In microseconds of CPU time per response. */
export function toBudgetText(charges: readonly Charge[], cpuMs: number): string {
  const us = (share: number) => (share * cpuMs * 1_000).toFixed(1).padStart(7);
  const lines = charges
    .filter(({ own, below }) => own + below >= LEAST)
    .map(({ room, own, below }) => `  ${us(own + below)} ${us(own)} ${us(below)}  ${room}`);
  return ['by room, in µs an answer: all, its own code, what it has Node do', ...lines].join('\n');
}

const LEAST = 0.002;

export interface Charge {
  readonly room: string;
  /** Shares of the time that was not idle. */
  readonly own: number;
  readonly below: number;
}
