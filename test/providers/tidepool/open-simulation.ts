import { afterAll, beforeAll } from 'vitest';
import { openTidepool } from './simulation.ts';

/** Tidepool with one simulation for the tests of a file. */
export function useTidepool() {
  let opened: Awaited<ReturnType<typeof openTidepool>>;
  beforeAll(async () => {
    opened = await openTidepool();
  });
  afterAll(() => opened.close());
  return () => opened;
}
