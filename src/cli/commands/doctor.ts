import type { Config } from '../../config.ts';
import { toReason } from '../../lib/to-reason.ts';
import { createRegistry } from '../../providers/registry.ts';
import { findKeyRing } from '../../storage/sealing/key-ring.ts';
import type { Command, CommandContext } from '../command.ts';
import { checkApiVersions } from '../doctor/api-versions.ts';
import { checkDatabase } from '../doctor/database.ts';
import type { Finding } from '../doctor/finding.ts';
import { checkPooler } from '../doctor/pooler.ts';
import { checkProviders } from '../doctor/providers.ts';
import { checkRedirectUris } from '../doctor/redirect-uris.ts';
import { checkRedis } from '../doctor/redis.ts';
import { toTable } from '../table.ts';

const MARKS = { ok: 'ok', warning: 'warning', failed: 'FAILED' } as const;

export const doctor: Command = {
  name: 'doctor',
  summary:
    'Checks the configuration, the keys, the database, Redis, the way to the providers and their API versions.',
  details: ['It changes nothing. Exit code 1 where something failed; a warning alone is none.'],
  run: async (context) => {
    const findings = await examine(context);
    return {
      data: findings,
      text: toTable(findings.map(({ state, subject, detail }) => [MARKS[state], subject, detail])),
      failed: findings.some(({ state }) => state === 'failed'),
    };
  },
};

async function examine(context: CommandContext): Promise<readonly Finding[]> {
  const config = attempt(() => context.readConfig());
  if (config instanceof Error) return [{ subject: 'configuration', state: 'failed', detail: config.message }];
  const registry = createRegistry();
  const [database, redis, providers] = await Promise.all([
    examineStorage(config),
    checkRedis(config),
    checkProviders(registry.values(), context.fetch),
  ]);
  const versions = checkApiVersions(registry.values(), context.now());
  const configuration: Finding = { subject: 'configuration', state: 'ok', detail: describe(config) };
  const redirects = checkRedirectUris(config.publicUrl, registry.values());
  return [configuration, ...database, ...redis, ...providers, ...versions, ...redirects];
}

async function examineStorage(config: Config): Promise<readonly Finding[]> {
  const ring = attempt(() => findKeyRing(config));
  if (ring instanceof Error) return [{ subject: 'keys', state: 'failed', detail: ring.message }];
  if (!ring) {
    const detail = `There are none in ${config.dataDirectory} yet: the first start makes them.`;
    return [{ subject: 'keys', state: 'warning', detail }];
  }
  const detail = `${ring.keys.size} in the ring; ${ring.current.id} seals`;
  return [
    { subject: 'keys', state: 'ok', detail },
    ...(await checkDatabase(config.database, ring, config.sandbox !== undefined)),
    ...(await checkPooler(config.database)),
  ];
}

function describe({ production, host, port, sandbox }: Config): string {
  return `${production ? 'production' : 'development'}, ${host}:${port}, sandbox ${sandbox ? 'on' : 'off'}`;
}

function attempt<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? error : new Error(toReason(error));
  }
}
