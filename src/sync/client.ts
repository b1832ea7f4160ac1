import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import pg from 'pg';
import { withErrorListener } from '../lib/error-listener.ts';
import { createMessageCheck } from '../lib/postgres-messages.ts';

/**
 * The driver's client for the server of a destination, which may be slow, broken or never respond: what it sends has a
 * limit, an error of the driver's parser ends the connection only, and no connection outlives its use.
 */
export class DestinationClient extends pg.Client {
  constructor(config: pg.ClientConfig) {
    const connection = withErrorListener(new LimitedConnection(config));
    // The pool hides the password from copies.
    const { password } = config;
    super({ ...config, password, ...READ_AS_TEXT, ...({ connection } as object) });
    // The statement that is under way rejects with it.
    withErrorListener(this);
  }
}

/** All values are read as text. */
const READ_AS_TEXT = { types: { getTypeParser: () => String } };

class LimitedConnection extends pg.Connection {
  /** Bytes of the current response. */
  #received = 0;

  override parse(...given: Parameters<pg.Connection['parse']>): void {
    this.#received = 0;
    super.parse(...given);
  }

  override query(text: string): void {
    this.#received = 0;
    super.query(text);
  }

  connect(port: number, host: string): void {
    const { connect } = pg.Connection.prototype as unknown as Internals;
    let isConnected = false;
    this.stream.once('connect', () => {
      isConnected = true;
    });
    connect.call(this, port, host);
    this.#destroyAfter(READY_MS, 'readyForQuery', () => new NotReady(isConnected));
  }

  /** The driver waits for the server to close the connection. */
  override end(): void {
    super.end();
    this.#destroyAfter(END_MS, 'end');
  }

  attachListeners(stream: Duplex): void {
    const received = new EventEmitter();
    const check = createMessageCheck();
    stream.on('data', (chunk: Buffer) => {
      if (stream.destroyed) return;
      this.#received += chunk.length;
      if (this.#received > MAX_RESPONSE_BYTES) {
        stream.destroy(new UnreadableResponse('sent a response of more than 1 MiB'));
        return;
      }
      try {
        check(chunk);
        received.emit('data', chunk);
      } catch (cause) {
        // It would end the process.
        stream.destroy(new UnreadableResponse('sent a response that cannot be read', { cause }));
      }
    });
    const { attachListeners } = pg.Connection.prototype as unknown as Internals;
    attachListeners.call(this, received);
  }

  #destroyAfter(ms: number, unless: string, toError?: () => Error): void {
    const timer = setTimeout(() => this.stream.destroy(toError?.()), ms);
    timer.unref();
    for (const event of [unless, 'end']) this.once(event, () => clearTimeout(timer));
  }
}

/** Its message is the predicate of a sentence about the server. */
export class UnreadableResponse extends Error {
  override readonly name = 'UnreadableResponse';
}

/** What the driver calls, and its types leave out. */
interface Internals {
  connect(this: pg.Connection, port: number, host: string): void;
  attachListeners(this: pg.Connection, stream: EventEmitter): void;
}

/** A server was not ready for statements in time, whether it has accepted the connection or not. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
  readonly isConnected: boolean;

  constructor(isConnected: boolean) {
    super('A server was not ready in time');
    this.isConnected = isConnected;
  }
}

const READY_MS = 10_000;
/** Of the driver, whose error does not say what it waited for. */
export const CONNECT_MS = READY_MS + 1_000;
const END_MS = 1_000;
/** What is read of a destination are ids and names of columns. */
const MAX_RESPONSE_BYTES = 1024 * 1024;
