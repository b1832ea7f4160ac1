import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { HandshakeReader } from './tls-handshake.ts';
import type { Turns } from './turns.ts';

/**
 * A TCP socket for `tls.connect` to a server that others choose. What it sends during the handshake is checked before
 * OpenSSL gets it, and handshakes take turns, so that they do not add up to one long piece of work.
 */
export class CheckedSocket extends Duplex {
  readonly #tcp: Socket;
  readonly #turns: Pick<Turns, 'take'>;
  #handshake: HandshakeReader | undefined;
  #secret: Promise<Buffer> | undefined;
  /** Reading is paused until the last chunk was processed. */
  #isHeld = false;
  /** Events of the TCP socket in the meantime. */
  readonly #later: (() => void)[] = [];

  constructor(tcp: Socket, turns: Pick<Turns, 'take'>) {
    super({ allowHalfOpen: false });
    this.#tcp = tcp;
    // It is ended by this, when the end of the server was read.
    tcp.allowHalfOpen = true;
    this.#turns = turns;
    tcp.on('connect', () => this.emit('connect'));
    tcp.on('data', (chunk: Buffer) => this.#receive(chunk));
    tcp.on('end', () => this.#afterHeld(() => this.push(null)));
    tcp.on('error', (error) => this.#afterHeld(() => this.destroy(error)));
    // After a regular end, received data may still have to be read.
    tcp.on('close', () => this.#afterHeld(() => tcp.readableEnded || this.destroy()));
  }

  /** Checks the handshake of this TLS socket. Must be called in the same tick as the `tls.connect` that returned it. */
  check(secure: TLSSocket): void {
    // It is ended by the TLS socket, which sends a message before.
    this.allowHalfOpen = true;
    this.#handshake = new HandshakeReader();
    this.#secret = new Promise((resolve) => {
      secure.on('keylog', (line: Buffer) => {
        const [label, , secret = ''] = line.toString('latin1').trim().split(' ');
        if (label === 'SERVER_HANDSHAKE_TRAFFIC_SECRET') resolve(Buffer.from(secret, 'hex'));
      });
    });
    // Node's own have no effect on a TLS socket over a stream.
    secure.ref = () => {
      this.#tcp.ref();
      return secure;
    };
    secure.unref = () => {
      this.#tcp.unref();
      return secure;
    };
  }

  connect(port: number, host: string): this {
    this.#tcp.connect(port, host);
    return this;
  }

  setNoDelay(isOn: boolean): this {
    this.#tcp.setNoDelay(isOn);
    return this;
  }

  setKeepAlive(isOn: boolean, delay?: number): this {
    this.#tcp.setKeepAlive(isOn, delay);
    return this;
  }

  ref(): this {
    this.#tcp.ref();
    return this;
  }

  unref(): this {
    this.#tcp.unref();
    return this;
  }

  #receive(chunk: Buffer): void {
    if (this.#handshake) {
      this.#hold();
      this.#passOn(this.#handshake, chunk).catch((error: Error) => this.destroy(error));
    } else if (!this.push(chunk)) this.#tcp.pause();
    else if (chunk.length >= LONG_CHUNK) {
      // Thousands of KeyUpdate messages in one chunk take 50 ms, and the system may have received many such chunks.
      this.#hold();
      setImmediate(() => this.#release());
    }
  }

  async #passOn(handshake: HandshakeReader, chunk: Buffer): Promise<void> {
    for (let given = chunk; ; given = NOTHING) {
      const checked = handshake.take(given);
      if (checked.length > 0) await this.#turns.take();
      if (this.destroyed) return;
      // OpenSSL processes it synchronously, and may log the secret.
      if (checked.length > 0) this.push(checked);
      if (!handshake.needsSecret || !this.#secret) break;
      handshake.useSecret(await this.#secret);
    }
    if (handshake.isComplete) this.#handshake = undefined;
    this.#release();
  }

  #hold(): void {
    this.#isHeld = true;
    this.#tcp.pause();
  }

  #release(): void {
    this.#isHeld = false;
    for (const happen of this.#later.splice(0)) happen();
    this.#tcp.resume();
  }

  #afterHeld(happen: () => void): void {
    if (this.#isHeld) this.#later.push(happen);
    else happen();
  }

  override _read(): void {
    if (!this.#isHeld) this.#tcp.resume();
  }

  override _write(chunk: Buffer, _encoding: string, callback: Callback): void {
    this.#tcp.write(chunk, callback);
  }

  override _writev(chunks: readonly { readonly chunk: Buffer }[], callback: Callback): void {
    this._write(Buffer.concat(chunks.map(({ chunk }) => chunk)), '', callback);
  }

  override _final(callback: Callback): void {
    if (this.#tcp.destroyed) callback();
    else this.#tcp.end(() => callback());
  }

  override _destroy(error: Error | null, callback: Callback): void {
    this.#tcp.destroy();
    // The TLS socket emits its error in the next iteration. If this closed first, pg would report a lost connection.
    process.nextTick(() => setImmediate(() => callback(error)));
  }
}

const NOTHING = Buffer.alloc(0);
/** The most that Node reads at once. */
const LONG_CHUNK = 64 * 1024;

type Callback = (error?: Error | null) => void;
