import { CALIBRATION_MS, PIECE_MS } from '../corpus/bounds.ts';
import type { Row } from '../measure/measure.ts';
import type { Target } from './open-target.ts';
import type { HttpRequest } from './send.ts';

/**
 * Checks that no piece of work of the product is too long: its processor time, compared with a calibration loop in the
 * same process. What is too long is measured again, because a busy machine can make one piece longer, but not all.
 */
export function createPieceCheck(
  { monitor }: Pick<Target, 'monitor'>,
  mostMs = PIECE_MS,
): PieceCheck {
  let longest = 0;
  return {
    async check(work) {
      let found: string | undefined;
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        await monitor.read();
        await work(attempt);
        const { longestMs } = await monitor.read();
        const isShort = longestMs < SURELY_SHORT_MS;
        const ms = isShort ? longestMs : (longestMs * CALIBRATION_MS) / (await monitor.calibrate());
        longest = Math.max(longest, ms);
        if (isShort || ms <= mostMs) return undefined;
        found = `a piece of work of ${Math.round(ms)} ms`;
      }
      return found;
    },
    row: () => ({
      what: 'the longest piece of work',
      value: `${Math.round(longest)} ms`,
      bound: `at most ${mostMs} ms`,
      holds: longest <= mostMs,
    }),
  };
}

const ATTEMPTS = 4;
/** No machine is so fast that this would be too long. */
const SURELY_SHORT_MS = 15;

/** The same request with documents that are not in the cache, because each has another comment. */
export function toNewDocument(request: HttpRequest, attempt: number): HttpRequest {
  if (attempt === 0 || request.body === undefined) return request;
  const body = String(request.body).replaceAll('"query":"', `"query":"#${attempt}\\n`);
  return { ...request, body };
}

export interface PieceCheck {
  /** What is too long in what the product does for this work, whenever it is done. */
  check(work: (attempt: number) => Promise<unknown>): Promise<string | undefined>;
  /** The longest piece so far. */
  row(): Row;
}
