/** Some libraries drop promises that fail later. What comes of that meanwhile is not held against the test. */
export async function withoutRejections<T>(work: () => Promise<T> | T): Promise<T> {
  const listeners = process.rawListeners('unhandledRejection') as (() => void)[];
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', ignore);
  try {
    return await work();
  } finally {
    // They are told of when all promises have had their turn.
    await new Promise(setImmediate);
    process.off('unhandledRejection', ignore);
    for (const listener of listeners) process.on('unhandledRejection', listener);
  }
}

function ignore(): void {}
