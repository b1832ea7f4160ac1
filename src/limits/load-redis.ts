import { restoreTexts } from '../lib/restore-texts.ts';

/** Only where somebody has a Redis. A class of the library extends `String`. */
export async function loadRedis() {
  const { Redis } = await import('./redis-library.ts');
  restoreTexts();
  return Redis;
}
