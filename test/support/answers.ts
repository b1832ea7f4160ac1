import { once } from 'node:events';
import { connect } from 'node:net';

/** Does anybody listen on this port of loopback? */
export async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
