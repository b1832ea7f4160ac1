/** Calls back when the process that started this one is gone: npm, when it is killed, passes no signal on. */
export function watchParent(pid: number, onGone: () => void): void {
  const timer = setInterval(() => {
    if (process.ppid === pid) return;
    clearInterval(timer);
    onGone();
  }, EVERY_MS).unref();
}

const EVERY_MS = 1_000;
