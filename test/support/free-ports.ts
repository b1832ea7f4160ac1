import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * A free port whose successor is free too: the sandbox takes two. Below the ephemeral range (from 32,768), so that
 * a test that restarts a process finds them free again.
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
/** Concurrent processes start in different places of the range. */
let next = 2 * ((process.pid * 97) % (HIGHEST - LOWEST));

/** Undefined: the port is in use. */
async function listen(port: number) {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return server;
  } catch {
    return undefined;
  }
}
