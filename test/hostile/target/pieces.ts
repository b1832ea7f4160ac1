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
  const longest = new Map<string, number>();
  return {
    async check(work) {
      let found: string | undefined;
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        await monitor.read();
        await work(attempt);
        const { pieces } = await monitor.read();
        const [kind, ms] = Object.entries(pieces).sort(([, a], [, b]) => b - a)[0] ?? ['none', 0];
        if (ms < SURELY_SHORT_MS) return keep(kind, ms);
        const reference = (ms * CALIBRATION_MS) / (await monitor.calibrate());
        keep(kind, reference);
        if (reference <= mostMs) return undefined;
        found = `${Math.round(reference)} ms of work of the kind ${kind}`;
      }
      return found;
    },
    table: () =>
      [...longest].map(([kind, ms]) => ({
        what: `the longest piece of work: ${kind}`,
        value: `${Math.round(ms)} ms`,
        bound: `at most ${mostMs} ms`,
        holds: ms <= mostMs,
      })),
  };

  function keep(kind: string, ms: number): undefined {
    longest.set(kind, Math.max(longest.get(kind) ?? 0, ms));
    return undefined;
  }
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
  /** The longest pieces so far, by kind. */
  table(): readonly Row[];
}
