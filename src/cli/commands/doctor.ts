import { examine, failed } from '../../checks.ts';
import type { Config } from '../../config.ts';
import { toReason } from '../../lib/output.ts';
import { type Command, type Invocation, toTable } from '../command.ts';

const MARKS = { ok: 'ok', warning: 'warning', failed: 'FAILED' } as const;

export const doctor: Command = {
  name: 'doctor',
  summary:
    'Checks the configuration, the keys, the database, Redis, the connection to the providers and their API versions.',
  details: ['It changes nothing. The exit code is 1 if a check failed; warnings do not count.'],
  async run(invocation) {
    const findings = await runChecks(invocation);
    return {
      data: findings,
      text: toTable(findings.map(({ state, subject, detail }) => [MARKS[state], subject, detail])),
      failed: findings.some(({ state }) => state === 'failed'),
    };
  },
};

async function runChecks({ readConfig, fetch, now }: Invocation) {
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    return [failed('configuration', toReason(error))];
  }
  return examine(config, { fetch, now: now() });
}
