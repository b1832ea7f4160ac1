/** Tells whoever listens that something has happened, and nothing more. */
export function createSignal(): Signal {
  const listeners: (() => void)[] = [];
  return {
    fire() {
      for (const listener of listeners) listener();
    },
    listen(listener) {
      listeners.push(listener);
    },
  };
}

export interface Signal {
  readonly fire: () => void;
  readonly listen: (listener: () => void) => void;
}
