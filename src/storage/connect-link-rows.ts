import type { ConnectLink } from '../domain/connect-link.ts';
import type { connectLinks } from './connect-schema.ts';

/** A link as it is at this moment: one whose time is up has ended, whether or not the sweep has come by. */
export function toConnectLink(row: ConnectLinkRow, now: Date): ConnectLink {
  return { ...toStored(row), ...toEnd(row, now) };
}

function toEnd({ status, failure, expiresAt, codeExpiresAt }: ConnectLinkRow, now: Date): End {
  const isOpen = status === 'PENDING' || status === 'STARTED';
  if (isOpen && expiresAt <= now) return { status: 'EXPIRED', failure: 'EXPIRED' };
  if (status === 'AWAITING_CONFIRMATION' && (codeExpiresAt ?? now) <= now) {
    return { status: 'FAILED', failure: 'NOT_CONFIRMED' };
  }
  return { status, failure };
}

function toStored(row: ConnectLinkRow): Omit<ConnectLink, keyof End> {
  return {
    id: row.id,
    applicationId: row.applicationId,
    customerId: row.customerId,
    providers: row.providers,
    returnUrl: row.returnUrl,
    mode: row.mode,
    confirm: row.confirm,
    loginUrl: row.loginUrl,
    optionalScopes: row.optionalScopes,
    allowAccountChange: row.allowAccountChange,
    providerName: row.providerName,
    connectionId: row.connectionId,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
  };
}

export type ConnectLinkRow = typeof connectLinks.$inferSelect;

type End = Pick<ConnectLink, 'status' | 'failure'>;
