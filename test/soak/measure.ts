import { readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { type Product, readHeldMemory } from '../support/start-product.ts';

/** What the process holds once its garbage is gone: the least of a few readings, for something is always on its way. */
export async function measureMemory(product: Product): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let reading = 0; reading < 3; reading++) {
    least = Math.min(least, await readHeldMemory(product));
    await wait(500);
  }
  return least;
}

export function countDescriptors({ child }: Product): number {
  return readdirSync(`/proc/${child.pid}/fd`).length;
}

/** Sockets that nobody uses any more are kept for a while, as long as the other side offers. */
export async function closesAllBut(count: number, product: Product): Promise<boolean> {
  for (let left = PATIENCE_SECONDS; left > 0; left--) {
    if (countDescriptors(product) <= count) return true;
    await wait(1_000);
  }
  return false;
}

/** Longer than any is kept alive. */
const PATIENCE_SECONDS = 80;
