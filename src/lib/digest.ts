import { hash } from 'node:crypto';

/** In place of a secret, where it has to be known again: what is remembered is none. */
export function digest(secret: string): string {
  return hash('sha256', secret, 'base64url');
}
