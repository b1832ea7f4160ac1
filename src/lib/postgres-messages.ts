import { EventEmitter } from 'node:events';
import type { Duplex } from 'node:stream';
import { withErrorListener } from './error-listener.ts';

/**
 * Makes whatever a PostgreSQL server sends an error of this client, and of no one else. The driver trusts its server: it
 * throws in the event loop at a malformed message, and loops without end at an error message that does not end.
 */
export function containFaults(client: PostgresClient): void {
  withErrorListener(client);
  const connection = client.connection as unknown as Internals;
  const { attachListeners } = connection;
  connection.attachListeners = (stream: Duplex) => {
    const checked = new EventEmitter();
    const check = createMessageCheck();
    stream.on('data', (chunk: Buffer) => {
      if (stream.destroyed) return;
      try {
        check(chunk);
        checked.emit('data', chunk);
      } catch (cause) {
        stream.destroy(cause instanceof ProtocolError ? cause : new ProtocolError({ cause }));
      }
    });
    attachListeners.call(connection, checked);
  };
}

/**
 * Returns a function that takes the bytes of a server chunk by chunk, and throws where a message begins that is none of
 * PostgreSQL, or of another state, or is longer than libpq accepts, or where an error message does not end.
 */
export function createMessageCheck(): (chunk: Buffer) => void {
  const header = Buffer.alloc(HEADER_BYTES);
  let headerBytes = 0;
  /** Of the content of the message. */
  let left = 0;
  let isReport = false;
  let isAuthentication = false;
  /** The last two bytes of the content. */
  let ending = 0;
  /** What an authentication message asks for: its first four bytes. */
  let request = 0;
  let requestBytes = 0;
  let lastRequest = 0;
  let isReady = false;

  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (headerBytes < HEADER_BYTES) {
        const copied = chunk.copy(header, headerBytes, at, at + HEADER_BYTES - headerBytes);
        headerBytes += copied;
        at += copied;
        if (headerBytes < HEADER_BYTES) return;
        begin();
      }
      const end = Math.min(at + left, chunk.length);
      if (isReport)
        for (const byte of chunk.subarray(Math.max(at, end - 2), end))
          ending = ((ending << 8) | byte) & 0xffff;
      if (isAuthentication)
        for (const byte of chunk.subarray(at, Math.min(end, at + REQUEST_BYTES - requestBytes))) {
          request = (request << 8) | byte;
          requestBytes += 1;
        }
      left -= end - at;
      at = end;
      if (left > 0) return;
      // The last field ends with a zero, and so does the list of fields.
      if (isReport && ending !== 0) throw new ProtocolError();
      if (isAuthentication) authenticate();
      headerBytes = 0;
    }
  };

  function begin(): void {
    const type = header[0] ?? 0;
    const length = header.readUInt32BE(1);
    left = length - LENGTH_BYTES;
    isReport = REPORTS.has(type);
    ending = 0;
    const longest = LONG_TYPES.has(type) ? LONGEST : LONGEST_OF_OTHERS;
    if (!TYPES.has(type) || left < (isReport ? 1 : 0) || length > longest)
      throw new ProtocolError();
    isAuthentication = type === AUTHENTICATION;
    request = 0;
    requestBytes = 0;
    // To authenticate again, the driver would send the password, or throw.
    if (isReady && isAuthentication) throw new ProtocolError();
    isReady ||= type === READY;
  }

  /** The driver takes the steps of SASL in any order, and reads what an earlier one has not stored yet. */
  function authenticate(): void {
    const before = request === SASL_FINAL ? SASL_CONTINUE : SASL;
    if (request >= SASL_CONTINUE && request <= SASL_FINAL && lastRequest !== before)
      throw new ProtocolError();
    lastRequest = request;
  }
}

/** What the server sent is not PostgreSQL's protocol. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';

  constructor(options?: ErrorOptions) {
    super('The server violated the PostgreSQL protocol', options);
  }
}

/** The length counts itself. */
const LENGTH_BYTES = 4;
const HEADER_BYTES = 1 + LENGTH_BYTES;
const TYPES = toTypes('RSKZENTDCtA123InscGHWd');
const [AUTHENTICATION, READY] = Buffer.from('RZ');
const REQUEST_BYTES = 4;
const [SASL, SASL_CONTINUE, SASL_FINAL] = [10, 11, 12];
/** Errors and notices. */
const REPORTS = toTypes('EN');
/** As libpq: other messages of this length mean that the connection is out of step. */
const LONG_TYPES = toTypes('TDdENA');
const LONGEST_OF_OTHERS = 30_000;
/** What the server can allocate. */
const LONGEST = 2 ** 30;

function toTypes(letters: string): ReadonlySet<number> {
  return new Set(Buffer.from(letters));
}

interface PostgresClient extends Pick<EventEmitter, 'on'> {
  readonly connection: object;
}

/** What the driver calls, and its types leave out. */
interface Internals {
  attachListeners(stream: EventEmitter): void;
}
