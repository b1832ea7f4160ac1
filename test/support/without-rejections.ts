/** Some libraries leave promises behind that reject later. Such unhandled rejections do not fail the test. */
export async function withoutRejections<T>(work: () => Promise<T> | T): Promise<T> {
  const listeners = process.rawListeners('unhandledRejection') as (() => void)[];
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', ignore);
  try {
    return await work();
  } finally {
    // They are reported after the microtask queue was drained.
    await new Promise(setImmediate);
    process.off('unhandledRejection', ignore);
    for (const listener of listeners) process.on('unhandledRejection', listener);
  }
}

function ignore(): void {}
