import { constants } from 'node:crypto';
import { type ConnectionOptions, DEFAULT_CIPHERS } from 'node:tls';

/**
 * For calls to servers that are not ours, which choose what a handshake takes. With Diffie-Hellman over finite fields
 * that is 300 ms of this thread, and with renegotiation it never ends.
 */
export const OUTBOUND_TLS = {
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  ecdhCurve: 'X25519:P-256:P-384:P-521',
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  // Explicit, so that no environment variable can disable it.
  rejectUnauthorized: true,
} satisfies ConnectionOptions;
