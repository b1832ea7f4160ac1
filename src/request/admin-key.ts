import { isAdminKey } from '../domain/admin-key.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { HeaderReader } from './caller.ts';

/** Lets the operator pass. Throws UNAUTHORIZED otherwise; what was wrong counts as a failed authentication of its address. */
export function createAdminCheck({ hash, failures }: AdminCheckOptions): AdminCheck {
  return ({ headers, address = 'unknown' }) => {
    const key = headers.get('x-admin-key');
    if (key === null) throw refused('Say who you are: with the header x-admin-key.');
    if (isAdminKey(key, hash)) return;
    failures.count(address);
    throw refused('The admin key is not valid.');
  };
}

function refused(detail: string): CrossbookError {
  return new CrossbookError('UNAUTHORIZED', detail);
}

export type AdminCheck = (arrival: {
  readonly headers: HeaderReader;
  readonly address?: string | undefined;
}) => void;

interface AdminCheckOptions {
  /** Of the key: SHA-256, in hexadecimal digits. */
  readonly hash: string;
  readonly failures: { count(address: string): void };
}
