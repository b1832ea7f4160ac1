/**
 * Opens several things one after another. If one cannot be opened, those before it are closed, the last one first.
 */
export async function withCleanup<Opened>(
  open: (onFailure: (close: () => unknown) => void) => Promise<Opened>,
): Promise<Opened> {
  const closers: (() => unknown)[] = [];
  try {
    return await open((close) => void closers.push(close));
  } catch (error) {
    for (const close of closers.reverse()) {
      try {
        await close();
      } catch {
        // The first error is the reason.
      }
    }
    throw error;
  }
}
