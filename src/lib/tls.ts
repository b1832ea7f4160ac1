import { constants } from 'node:crypto';
import { type ConnectionOptions, DEFAULT_CIPHERS } from 'node:tls';

/**
 * For calls to servers that are not ours. Diffie-Hellman over finite fields takes up to 300 ms of this thread, and
 * current servers use neither it nor renegotiation.
 */
export const OUTBOUND_TLS = {
  ciphers: `${DEFAULT_CIPHERS}:!kDHE`,
  ecdhCurve: 'X25519:P-256:P-384:P-521',
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  // Explicit, so that no environment variable can disable it.
  rejectUnauthorized: true,
} satisfies ConnectionOptions;
