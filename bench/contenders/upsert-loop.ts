/** Runs this many concurrent upserts for a period, and returns the rate per second. */
export function loop(upsert: (customerId: string) => Promise<unknown>) {
  return async ({ customerIds, seconds, connections }: LoopWork): Promise<number> => {
    const started = performance.now();
    const end = started + seconds * 1_000;
    let count = 0;
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (performance.now() < end) {
          await upsert(customerIds[count++ % customerIds.length] ?? '');
        }
      }),
    );
    return count / ((performance.now() - started) / 1_000);
  };
}

interface LoopWork {
  readonly customerIds: readonly string[];
  readonly seconds: number;
  readonly connections: number;
}
