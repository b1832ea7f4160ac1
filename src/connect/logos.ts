import { Places } from '../admission/places.ts';
import { MAX_LOGO_SIDE } from '../domain/branding.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { cleanPng } from '../lib/png.ts';

/**
 * Checks the logos of all applications, a few at once. A logo of 64 KiB may have 2 MiB of pixels, and takes a thread of
 * the pool for up to 150 ms; DNS look-ups need the other threads.
 */
export function createLogoCheck(clock: Pick<Clock, 'schedule'>) {
  const queue = new Places({
    max: LOGOS_AT_ONCE,
    maxWaitMs: WAIT_MS,
    clock,
    toRefusal: () =>
      new CrossbookError('SERVICE_UNAVAILABLE', 'Other logos are being checked: try again.', {
        retryAfterMs: WAIT_MS,
      }),
  });
  return (png: Buffer, applicationId: string) =>
    queue.run(applicationId, () => cleanPng(png, MAX_LOGO_SIDE));
}

/** One application gets one at a time. */
const LOGOS_AT_ONCE = 2;
const WAIT_MS = 5_000;
