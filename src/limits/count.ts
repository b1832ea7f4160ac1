/**
 * So many a minute of each key, counted by this process. A key's minute begins with its first; all are equally long, so
 * those that began first end first, and what is over is swept from the front.
 */
export function createCount({ windowMs, now }: CountOptions): Count {
  const windows = new Map<string, Window>();

  return {
    size: () => windows.size,
    add(key, units) {
      const at = now();
      const known = windows.get(key);
      const window = known && known.endsAt > at ? known : begin(key, at);
      window.count += units;
      return { count: window.count, resetMs: window.endsAt - at };
    },
  };

  function begin(key: string, at: number): Window {
    for (const [oldest, { endsAt }] of windows) {
      if (endsAt > at) break;
      windows.delete(oldest);
    }
    const window = { count: 0, endsAt: at + windowMs };
    windows.set(key, window);
    return window;
  }
}

export interface Count {
  /** So many more of this key's. */
  add(key: string, units: number): { readonly count: number; readonly resetMs: number };
  /** Keys that are remembered. */
  size(): number;
}

interface Window {
  count: number;
  readonly endsAt: number;
}

interface CountOptions {
  readonly windowMs: number;
  /** Milliseconds that never go back. */
  now(): number;
}
