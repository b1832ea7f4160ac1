import type { EventEmitter } from 'node:events';

/**
 * Attaches a listener for errors where an emitter is constructed, because an `error` event without one ends the process.
 * Sockets, clients, servers, child processes and streams are constructed inside of a call of this.
 */
export function withErrorListener<Emitter extends Pick<EventEmitter, 'on'>>(
  emitter: Emitter,
  onError: (error: Error) => void = ignore,
): Emitter {
  emitter.on('error', onError);
  return emitter;
}

/** For what reports the error in another way too, such as by rejecting the statement that is under way. */
function ignore(): void {}
