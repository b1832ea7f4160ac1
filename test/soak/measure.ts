import { readdirSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { type Product, readHeldMemory } from '../support/start-product.ts';

/**
 * The process's memory after garbage collection: the minimum of several readings, because some garbage is always in
 * flight.
 */
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

/** Idle sockets are kept for the keep-alive timeout of the other side. */
export async function closesAllBut(count: number, product: Product): Promise<boolean> {
  for (let left = PATIENCE_SECONDS; left > 0; left--) {
    if (countDescriptors(product) <= count) return true;
    await wait(1_000);
  }
  return false;
}

/** Longer than any keep-alive timeout. */
const PATIENCE_SECONDS = 80;
