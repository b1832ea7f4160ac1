import { setTimeout as wait } from 'node:timers/promises';

/**
 * Stops a dependency of the product for a while, and verifies that the product has noticed both the outage and its
 * end.
 */
export async function interrupt({
  name,
  stop,
  start,
  isThere,
  forMs,
}: Interruption): Promise<Interrupted> {
  const from = performance.now();
  await stop();
  const noticed = await becomes(false, isThere, forMs);
  await wait(Math.max(0, from + forMs - performance.now()));
  await start();
  const to = performance.now();
  const recovered = await becomes(true, isThere, PATIENCE_MS);
  const problems = [
    ...(noticed ? [] : [`The product has not noticed that the ${name} was away.`]),
    ...(recovered ? [] : [`The product has not found the ${name} again.`]),
  ];
  const tookMs = Math.round(performance.now() - to);
  return {
    from,
    to,
    problems,
    text: `The ${name} was away for ${forMs} ms, and found again after ${tookMs} ms.`,
  };
}

async function becomes(
  wanted: boolean,
  isThere: () => Promise<boolean>,
  withinMs: number,
): Promise<boolean> {
  for (
    const giveUpAt = performance.now() + withinMs;
    performance.now() < giveUpAt;
    await wait(100)
  ) {
    if ((await isThere()) === wanted) return true;
  }
  return false;
}

/** Long enough for a busy machine. */
const PATIENCE_MS = 30_000;

export interface Interrupted {
  readonly from: number;
  readonly to: number;
  readonly problems: readonly string[];
  readonly text: string;
}

interface Interruption {
  readonly name: string;
  readonly forMs: number;
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Whether the product considers it available. */
  isThere(): Promise<boolean>;
}
