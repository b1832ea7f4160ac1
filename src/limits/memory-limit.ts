import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

/**
 * How many bytes clients and providers may make the process hold, where no setting says it. Bodies are outside the heap
 * and what is parsed from them is inside: the smaller of both shares is the bound.
 */
export function defaultMaxHeldBytes(memory: Memory = readMemory()): number {
  return Math.floor(Math.min(memory.heapBytes / 3, memory.systemBytes / 4));
}

/** The container's limit (cgroup v1 or v2) where it has one, else the machine's memory. */
function readMemory(): Memory {
  return {
    heapBytes: getHeapStatistics().heap_size_limit,
    systemBytes: Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem()),
  };
}

interface Memory {
  readonly heapBytes: number;
  readonly systemBytes: number;
}
