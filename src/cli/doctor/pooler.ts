import { toReason } from '../../lib/to-reason.ts';
import { lookAtPooler, type PoolerState } from '../../storage/engine/look-at-pooler.ts';
import type { Target } from '../../storage/engine/open.ts';
import type { Finding } from './finding.ts';

/** Does the setting say what stands between this process and PostgreSQL? */
export async function checkPooler(target: Target): Promise<readonly Finding[]> {
  if (!('url' in target)) return [];
  try {
    const finding = describe(await lookAtPooler(target.url), target.pooled === true);
    return finding ? [{ subject: 'pooler', ...finding }] : [];
  } catch (error) {
    return [{ subject: 'pooler', state: 'warning', detail: toReason(error) }];
  }
}

function describe(
  { sharesConnections, hasTimeouts }: PoolerState,
  pooled: boolean,
): Pick<Finding, 'state' | 'detail'> | undefined {
  if (!pooled) {
    if (!sharesConnections) return undefined;
    const detail = 'one in transaction mode is in between: CROSSBOOK_DATABASE_POOLER=transaction is missing';
    return { state: 'failed', detail };
  }
  if (!sharesConnections) {
    const detail =
      'none in transaction mode is in between: without CROSSBOOK_DATABASE_POOLER statements are prepared';
    return { state: 'warning', detail };
  }
  if (!hasTimeouts) {
    const detail = `the role has no timeouts of its own: ${SET_TIMEOUTS}`;
    return { state: 'warning', detail };
  }
  return { state: 'ok', detail: 'transaction mode' };
}

const SET_TIMEOUTS = `alter role … set lock_timeout = '500ms'; alter role … set statement_timeout = '10s'`;
