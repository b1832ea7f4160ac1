import { createHook } from 'node:async_hooks';
import { type HeapProfiler, Session } from 'node:inspector/promises';
import { GCProfiler, type GCProfilerResult, getHeapStatistics } from 'node:v8';

/**
 * What its own process creates between two calls. Everything is a count, so that it is the same on a busy machine.
 * Each has a run of its own: a promise with hooks on it is larger than one without.
 */
export function createCounters() {
  let promises = 0;
  let places = new Map<string, PromisePlace>();
  const counting = createHook({
    init(_id, type) {
      if (type === 'PROMISE') promises += 1;
    },
  });
  const locating = createHook({
    init(_id, type) {
      if (type === 'PROMISE') note(places, findCreator());
    },
  });
  const session = new Session();
  let collections = new GCProfiler();
  let usedBytes = 0;

  return {
    async startPromises(): Promise<void> {
      promises = 0;
      counting.enable();
    },
    async stopPromises(): Promise<number> {
      counting.disable();
      return promises;
    },
    async startPromisePlaces(): Promise<void> {
      places = new Map();
      locating.enable();
    },
    async stopPromisePlaces(): Promise<readonly PromisePlace[]> {
      locating.disable();
      return [...places.values()];
    },
    async startAllocation(): Promise<void> {
      collections = new GCProfiler();
      collections.start();
      usedBytes = getHeapStatistics().used_heap_size;
    },
    async stopAllocation(): Promise<Allocation> {
      const nowUsed = getHeapStatistics().used_heap_size;
      return toAllocation(collections.stop(), usedBytes, nowUsed);
    },
    async startSampling(): Promise<void> {
      session.connect();
      await session.post('HeapProfiler.startSampling', {
        samplingInterval: SAMPLING_BYTES,
        includeObjectsCollectedByMajorGC: true,
        includeObjectsCollectedByMinorGC: true,
      } as HeapProfiler.StartSamplingParameterType);
    },
    async stopSampling(): Promise<HeapProfiler.SamplingHeapProfile> {
      const { profile } = await session.post('HeapProfiler.stopSampling');
      session.disconnect();
      return profile;
    },
  };
}

/** What the heap gained between collections was allocated; what old spaces gained in a minor one was promoted. */
function toAllocation(
  { statistics }: GCProfilerResult,
  usedBefore: number,
  usedAfter: number,
): Allocation {
  let used = usedBefore;
  let bytes = 0;
  let promotedBytes = 0;
  let minorCollections = 0;
  let minorMs = 0;
  for (const { gcType, cost, beforeGC, afterGC } of statistics) {
    bytes += beforeGC.heapStatistics.usedHeapSize - used;
    used = afterGC.heapStatistics.usedHeapSize;
    if (gcType !== 'Scavenge') continue;
    promotedBytes += toOldBytes(afterGC) - toOldBytes(beforeGC);
    minorCollections += 1;
    minorMs += cost / 1_000;
  }
  return { bytes: bytes + usedAfter - used, promotedBytes, minorCollections, minorMs };
}

function toOldBytes({ heapSpaceStatistics }: HeapState): number {
  return heapSpaceStatistics
    .filter(({ spaceName }) => !spaceName.startsWith('new_'))
    .reduce((sum, { spaceUsedSize }) => sum + spaceUsedSize, 0);
}

/** The nearest function in a file: what Node does for it is charged to it. */
function findCreator(): NodeJS.CallSite | undefined {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.prepareStackTrace = (_error, frames) => frames;
  Error.stackTraceLimit = DEPTH;
  const { stack } = new Error() as unknown as { readonly stack: readonly NodeJS.CallSite[] };
  Error.prepareStackTrace = prepareStackTrace;
  Error.stackTraceLimit = stackTraceLimit;
  // After its own two frames come those of Node's hooks.
  return stack.slice(2).find((frame) => !frame.isAsync() && isFile(frame.getFileName()));
}

function isFile(name: string | null | undefined): boolean {
  return name?.startsWith('file:') === true || name?.startsWith('/') === true;
}

function note(places: Map<string, PromisePlace>, creator: NodeJS.CallSite | undefined): void {
  const file = creator?.getFileName() ?? '';
  const line = creator?.getEnclosingLineNumber() ?? 1;
  const column = creator?.getEnclosingColumnNumber() ?? 1;
  const key = `${file}:${line}:${column}`;
  const place = places.get(key);
  if (place) place.count += 1;
  else
    places.set(key, {
      functionName: creator?.getFunctionName() ?? '',
      url: file.startsWith('/') ? `file://${file}` : file,
      lineNumber: line - 1,
      columnNumber: column - 1,
      count: 1,
    });
}

/** A sample for so many bytes: tens of thousands in a run. */
const SAMPLING_BYTES = 16_384;
/** Frames of Node between a promise and the function that it is made for. */
const DEPTH = 24;

type HeapState = GCProfilerResult['statistics'][number]['beforeGC'];

/** Promises that one function creates, with those of Node's functions that it calls. */
export interface PromisePlace {
  readonly functionName: string;
  /** Empty: created by Node or V8 with no function on the stack. */
  readonly url: string;
  /** Of the function's beginning, from 0. */
  readonly lineNumber: number;
  readonly columnNumber: number;
  count: number;
}

/** Of V8's heap: buffers are outside. */
export interface Allocation {
  readonly bytes: number;
  readonly promotedBytes: number;
  readonly minorCollections: number;
  readonly minorMs: number;
}
