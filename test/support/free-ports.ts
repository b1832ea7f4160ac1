import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A port that is free, as is the one above it: the sandbox takes two. Below those that the system gives to whoever opens a
 * connection (from 32,768 on): a test that stops a process and starts it again finds them free the second time.
 */
export async function findFreePorts(): Promise<number> {
  for (;;) {
    const port = LOWEST + (next % (HIGHEST - LOWEST));
    next += 2;
    const lower = await listen(port);
    const upper = await listen(port + 1);
    for (const server of [lower, upper]) server?.close();
    if (lower && upper) return port;
  }
}

const LOWEST = 20_000;
const HIGHEST = 32_000;
/** Processes that run at the same time begin far from each other. */
let next = 2 * ((process.pid * 97) % (HIGHEST - LOWEST));

/** Undefined: the port is taken. */
async function listen(port: number) {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return server;
  } catch {
    return undefined;
  }
}
