import { expect } from 'vitest';

/**
 * The processor time of one piece of work, in milliseconds of the reference machine: it is compared
 * with a calibration loop in the same run, so that a slower or a busy machine gives the same result.
 * Both are the least of several rounds: in the others, compilation and garbage collection count too.
 */
export function measureReferenceMs(work: () => unknown): number {
  let spent = Number.POSITIVE_INFINITY;
  let calibration = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round += 1) {
    calibration = Math.min(calibration, processorMs(calibrationLoop));
    spent = Math.min(spent, processorMs(work));
  }
  return (spent / calibration) * CALIBRATION_MS;
}

/**
 * Asserts that work, which runs in one macrotask, is no longer than the longest piece allowed. A busy
 * machine stretches processor time too (caches), so the work is too long if each attempt says so.
 */
export function expectShortPiece(work: () => unknown, limitMs = LONGEST_PIECE_MS): void {
  let measured = measureReferenceMs(work);
  for (let attempt = 1; attempt < ATTEMPTS && measured >= limitMs; attempt += 1)
    measured = Math.min(measured, measureReferenceMs(work));
  expect(measured).toBeLessThan(limitMs);
}

/** How long one piece of work may hold the event loop, on the reference machine. */
export const LONGEST_PIECE_MS = 50;

/** The factor that makes milliseconds of this machine, at this moment, those of the reference machine. */
export function calibrate(): number {
  return CALIBRATION_MS / processorMs(calibrationLoop);
}

/** The work may throw: a rejection is an outcome as well. */
function processorMs(work: () => unknown): number {
  const before = process.cpuUsage();
  try {
    work();
  } catch {}
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** Strings, objects and maps, as in a parser. Its result keeps it from being optimised away. */
export function calibrationLoop(): number {
  let sum = 0;
  for (let round = 0; round < CALIBRATION_ROUNDS; round += 1) {
    const text = `name${round % 1_000}`;
    const seen = new Map<string, { readonly at: number; readonly text: string }>();
    for (let at = 0; at < text.length; at += 1) seen.set(text[at] ?? '', { at, text });
    for (const { at } of seen.values()) sum += text.charCodeAt(at);
  }
  return sum;
}

const ROUNDS = 7;
const ATTEMPTS = 5;
/** They take `CALIBRATION_MS` on the reference machine: a cloud's virtual processor, Node 20. */
const CALIBRATION_ROUNDS = 32_000;
const CALIBRATION_MS = 10;
