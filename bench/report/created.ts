import type { HeapProfiler, Runtime } from 'node:inspector';
import type { PromisePlace } from '../support/counters.ts';
import { createSourcePlaces } from './source-places.ts';
import { toTable } from './throughput-table.ts';

/** Promises and bytes per request, of each folder and function. */
export function readCreated({ promises, observed, heap, sampled }: Samples): Created {
  const placeOf = createSourcePlaces();
  const folders = new Map<string, Amount>();
  const functions = new Map<string, Amount>();

  for (const { count, ...frame } of promises) add(frame, { promises: count / observed, bytes: 0 });
  visit(heap.head, heap.head.callFrame);
  return { folders: toList(folders), functions: toList(functions) };

  /** A function's own allocations and those of Node's and V8's functions that it calls. */
  function visit(node: HeapProfiler.SamplingHeapProfileNode, charged: Runtime.CallFrame): void {
    const frame = node.callFrame.url.startsWith('file:') ? node.callFrame : charged;
    if (node.selfSize > 0) add(frame, { promises: 0, bytes: node.selfSize / sampled });
    for (const child of node.children) visit(child, frame);
  }

  function add(frame: Frame, amount: Amount): void {
    const { file, line, room } = placeOf({ scriptId: '', ...frame });
    const name =
      frame.url === '' ? OUTSIDE : `${frame.functionName || '(anonymous)'}  ${file}:${line}`;
    increase(folders, room || OUTSIDE, amount);
    increase(functions, name, amount);
  }
}

export function toCreatedText({ folders, functions }: Created): string {
  const table = (title: string, amounts: readonly NamedAmount[]) =>
    toTable(
      [title, 'promises', 'kB'],
      amounts.map(({ name, promises, bytes }) => [
        name,
        promises.toFixed(1),
        (bytes / 1_000).toFixed(1),
      ]),
    );
  const most = (key: keyof Amount) =>
    functions.toSorted((a, b) => b[key] - a[key]).slice(0, LONGEST);
  const noticeable = folders.filter(({ promises, bytes }) => promises >= 0.05 || bytes >= 50);
  return [
    table(
      'folder',
      noticeable.toSorted((a, b) => b.promises - a.promises || b.bytes - a.bytes),
    ),
    table('function, by promises', most('promises')),
    table('function, by bytes', most('bytes')),
  ].join('\n\n');
}

function increase(amounts: Map<string, Amount>, name: string, { promises, bytes }: Amount): void {
  const amount = amounts.get(name) ?? { promises: 0, bytes: 0 };
  amounts.set(name, {
    promises: amount.promises + promises,
    bytes: amount.bytes + bytes,
  });
}

function toList(amounts: ReadonlyMap<string, Amount>): readonly NamedAmount[] {
  return [...amounts].map(([name, amount]) => ({ name, ...amount }));
}

const OUTSIDE = 'Node and V8, called by no function of a file';
const LONGEST = 20;

type Frame = Omit<Runtime.CallFrame, 'scriptId'>;

interface Amount {
  readonly promises: number;
  readonly bytes: number;
}

interface NamedAmount extends Amount {
  readonly name: string;
}

interface Samples {
  readonly promises: readonly PromisePlace[];
  /** The requests that created the promises. */
  readonly observed: number;
  readonly heap: HeapProfiler.SamplingHeapProfile;
  /** The requests that allocated on the heap. */
  readonly sampled: number;
}

export interface Created {
  readonly folders: readonly NamedAmount[];
  readonly functions: readonly NamedAmount[];
}
