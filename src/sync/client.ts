import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import pg from 'pg';
import { CheckedSocket } from '../lib/tls-socket.ts';
import { type Limits, ProtocolError, ResponseTooLarge, ServerMessages } from './messages.ts';

/**
 * The driver's client for a server of an application's choice, which may send anything or nothing: what it sends is
 * checked and limited, and no connection outlives its use.
 */
export class DestinationClient extends pg.Client {
  constructor(config: pg.ClientConfig) {
    const connection = new CheckedConnection(config);
    // The pool hides the password from copies.
    const { password } = config;
    super({ ...config, password, ...READ_AS_TEXT, ...({ connection } as object) });
    // The statement that is under way rejects with it.
    this.on('error', () => undefined);
  }
}

/** All values are read as text: the server says their types, and the driver's parsers of some take long. */
const READ_AS_TEXT = { types: { getTypeParser: () => String } };

class CheckedConnection extends pg.Connection {
  readonly #messages = new ServerMessages(BEFORE_READY);
  /** The stream before TLS. */
  readonly #tcp: unknown = this.stream;

  override parse(...given: Parameters<pg.Connection['parse']>): void {
    this.#messages.expect(OF_A_STATEMENT);
    super.parse(...given);
  }

  override query(text: string): void {
    this.#messages.expect(OF_A_STATEMENT);
    super.query(text);
  }

  /** The driver waits for the server to close the connection: before that, and where it has failed. */
  connect(port: number, host: string): void {
    const { connect } = pg.Connection.prototype as unknown as Internals;
    connect.call(this, port, host);
    this.#destroyAfter(READY_MS, 'readyForQuery');
  }

  override end(): void {
    super.end();
    this.#destroyAfter(END_MS);
  }

  attachListeners(stream: Duplex): void {
    if (stream instanceof TLSSocket && this.#tcp instanceof CheckedSocket) this.#tcp.check(stream);
    const checked = new EventEmitter();
    stream.on('data', (chunk: Buffer) => {
      if (stream.destroyed) return;
      try {
        const messages = this.#messages.take(chunk);
        if (messages.length > 0) checked.emit('data', messages);
      } catch (error) {
        const isKnown = error instanceof ProtocolError || error instanceof ResponseTooLarge;
        stream.destroy(isKnown ? error : new ProtocolError('', { cause: error }));
      }
    });
    const { attachListeners } = pg.Connection.prototype as unknown as Internals;
    attachListeners.call(this, checked);
  }

  #destroyAfter(ms: number, unless = 'end'): void {
    const timer = setTimeout(() => this.stream.destroy(), ms);
    timer.unref();
    for (const event of [unless, 'end']) this.once(event, () => clearTimeout(timer));
  }
}

/** What the driver calls, and its types leave out. */
interface Internals {
  connect(this: pg.Connection, port: number, host: string): void;
  attachListeners(this: pg.Connection, stream: EventEmitter): void;
}

export const CONNECT_MS = 10_000;
/** The driver's own limit has an error in words, so it comes first. */
const READY_MS = CONNECT_MS + 1_000;
const END_MS = 1_000;

const BEFORE_READY: Limits = { bytes: 64 * 1024, rows: 0 };
/** What is read of a destination are ids and names of columns. */
const OF_A_STATEMENT: Limits = { bytes: 1024 * 1024, rows: 10_000 };
