import type { FailingEndpoint } from '../../domain/webhook-queue.ts';
import { toReason } from '../../lib/to-reason.ts';
import type { Target } from '../../storage/engine/open.ts';
import { type Inspection, inspectDatabase } from '../../storage/inspect.ts';
import type { KeyRing } from '../../storage/sealing/key-ring.ts';
import type { Finding } from './finding.ts';

const OLDEST_POSTGRES = 15;

export async function checkDatabase(
  target: Target,
  ring: KeyRing,
  sandbox: boolean,
): Promise<readonly Finding[]> {
  try {
    return describe(await inspectDatabase(target, ring), sandbox);
  } catch (error) {
    return [
      {
        subject: 'database',
        state: 'failed',
        detail: toReason(error),
      },
    ];
  }
}

function toWebhookFinding({ id, application, enabled, lastFailure }: FailingEndpoint): Finding {
  const state = enabled ? 'fails' : 'is disabled';
  return {
    subject: 'webhooks',
    state: 'warning',
    detail: `endpoint ${id} of ${application} ${state}: ${lastFailure}`,
  };
}

function describe(inspection: Inspection, sandbox: boolean): readonly Finding[] {
  if (!inspection.isThere) {
    return [
      { subject: 'database', state: 'warning', detail: 'It is not there yet: the first start makes it.' },
    ];
  }
  const { version, pendingMigrations, unreadableKeys } = inspection;
  const isOld = Number.parseInt(version, 10) < OLDEST_POSTGRES;
  const findings: Finding[] = [
    {
      subject: 'database',
      state: isOld ? 'warning' : 'ok',
      detail: `answers, version ${version}${isOld ? `: ${OLDEST_POSTGRES} or later is what we test with` : ''}`,
    },
  ];
  if (pendingMigrations.length > 0) {
    const detail = `${pendingMigrations.join(', ')}: the next start applies them`;
    return [...findings, { subject: 'migrations', state: 'warning', detail }];
  }
  if (inspection.hasDemo && !sandbox) {
    const detail = 'the demo application is there and counts for nothing: the next start removes it';
    findings.push({ subject: 'demo data', state: 'warning', detail });
  }
  return [
    ...findings,
    { subject: 'migrations', state: 'ok', detail: 'all applied' },
    ...inspection.failingEndpoints.map(toWebhookFinding),
    unreadableKeys.length > 0
      ? {
          subject: 'sealed data',
          state: 'failed',
          detail: `sealed with keys that the ring lacks, or has otherwise: ${unreadableKeys.join(', ')}`,
        }
      : { subject: 'sealed data', state: 'ok', detail: 'can be opened' },
  ];
}
