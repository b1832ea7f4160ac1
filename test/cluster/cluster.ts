import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { type Host, openHost, openNetwork } from './hosts.ts';

/** Sets the cluster up as ops/cluster/README.md does, with the files of `ops/cluster`. */
export async function openCluster(
  root: string,
  { synchronous, etcdApi }: Choices,
): Promise<Cluster> {
  openNetwork();
  const files = join(root, 'files');
  cpSync('ops/cluster', files, { recursive: true });
  const configure = `sh ${join(files, 'configure.sh')}`;
  execFileSync('sh', ['-c', `${configure} secrets > ${join(files, 'cluster.env')}`]);
  const passwords = readPasswords(join(files, 'cluster.env'));
  execFileSync('sed', [
    '-i',
    `s/synchronous_mode: true/synchronous_mode: ${synchronous}/; s/^etcd:/${etcdApi === 'v3' ? 'etcd3' : 'etcd'}:/`,
    join(files, 'patroni.yml'),
  ]);
  const data = [21, 22, 23].map((end, at) => openHost(`data-${at + 1}`, `10.0.0.${end}`, root));
  const apps = [11, 12, 13].map((end, at) =>
    openHost(`crossbook-${at + 1}`, `10.0.0.${end}`, root),
  );
  const proxy = openHost('proxy', '10.0.0.10', root);
  for (const host of data) host.run(`${configure} data ${host.name} ${host.address}`);
  for (const host of apps) host.run(`${configure} crossbook`);
  proxy.run(`${configure} proxy`);

  const parts = {
    etcd: data.map((host) => toPart(host, 'etcd', /\/usr\/bin\/etcd/, ETCD)),
    postgres: data.map((host) => toPart(host, 'patroni', /patroni|postgres/, PATRONI)),
    redis: data.map((host) => toPart(host, 'redis-server', /redis-server/, REDIS)),
    sentinel: data.map((host) => toPart(host, 'redis-sentinel', /redis-sentinel/, SENTINEL)),
    crossbook: apps.map((host) => toPart(host, 'crossbook', /main\.js/, CROSSBOOK)),
    proxy: [toPart(proxy, 'haproxy', /haproxy/, HAPROXY)],
  };
  for (const part of parts.etcd) part.start();
  const [first, ...others] = parts.postgres;
  await wait(2_000);
  first?.start();
  await until('a primary', async () => (await readMembers()).some(({ role }) => role === 'leader'));
  await query(
    'postgres',
    `create role crossbook login password '${passwords['CROSSBOOK_PASSWORD']}'`,
  );
  await query('postgres', 'create database crossbook owner crossbook');
  for (const part of [...others, ...parts.redis]) part.start();
  await wait(1_000);
  for (const part of parts.sentinel) part.start();
  await until('the databases', isDataWell);
  for (const part of parts.crossbook) {
    part.start();
    await until('Crossbook', () => isReady(part.host));
  }
  for (const part of parts.proxy) part.start();
  await until('all of it', isWell);
  const key = /cbk_demo_[\w-]{43}/.exec(apps[0]?.readLog('crossbook') ?? '')?.[0] ?? '';

  return {
    url: `http://${proxy.address}`,
    key,
    parts,
    query: (text, values) => query('crossbook', text, values),
    async findPrimary() {
      const leader = (await readMembers()).find(({ role }) => role === 'leader');
      return at(data, leader?.name);
    },
    async findStandby() {
      const members = await readMembers();
      const standby =
        members.find(({ role }) => role === 'sync_standby') ??
        members.find(({ role }) => role === 'replica');
      return at(data, standby?.name);
    },
    findRedisMaster: () => at(data, findRedisMaster()),
    findEtcdLeader() {
      const status = data.map(({ address }) => `http://${address}:2379`).join(',');
      const text = tell('etcdctl', '--endpoints', status, 'endpoint', 'status');
      const [line = ''] = text.split('\n').filter((one) => one.split(', ')[4] === 'true');
      return data.findIndex(({ address }) => line.includes(`${address}:`));
    },
    switchOver: (to) =>
      void data[0]?.run(
        `patronictl -c /etc/patroni/config.yml switchover --candidate ${data[to]?.name} --force crossbook`,
      ),
    untilWell: () => until('all of it again', isWell),
  };

  async function isWell(): Promise<boolean> {
    const ready = await Promise.all(apps.map(isReady));
    if (!ready.every(Boolean) || !(await isDataWell())) return false;
    const { status } = await fetch(`http://${proxy.address}/openapi.json`, LIMIT());
    return status < 500;
  }

  async function isDataWell(): Promise<boolean> {
    const members = await readMembers();
    const roles = members
      .filter(({ state }) => ['running', 'streaming'].includes(state))
      .map(({ role }) => role);
    const timelines = new Set(members.map(({ timeline }) => timeline));
    if (roles.length !== 3 || timelines.size !== 1 || !roles.includes('leader')) return false;
    if (synchronous && !roles.includes('sync_standby')) return false;
    const master = data.find(({ name }) => name === findRedisMaster());
    const replication = master && redis(master.address, 6379, 'info', 'replication');
    return replication?.match(/state=online/g)?.length === 2;
  }

  async function readMembers(): Promise<readonly Member[]> {
    const answers = data.map(async ({ address }) => {
      const response = await fetch(`http://${address}:8008/cluster`, LIMIT());
      return ((await response.json()) as { members: Member[] }).members;
    });
    return Promise.any(answers);
  }

  function findRedisMaster(): string | undefined {
    const said = data.map(
      ({ address }) =>
        redis(address, 26_379, 'sentinel', 'get-master-addr-by-name', 'mymaster').split('\n')[0],
    );
    const [known] = new Set(said);
    // All of them have to agree.
    return said.every((one) => one === known)
      ? data.find(({ address }) => address === known)?.name
      : undefined;
  }

  function redis(address: string, port: number, ...command: readonly string[]): string {
    return tell(
      'timeout',
      '2',
      'redis-cli',
      '--no-auth-warning',
      '-a',
      passwords['REDIS_PASSWORD'] ?? '',
      '-h',
      address,
      '-p',
      String(port),
      ...command,
    );
  }

  async function query(database: string, text: string, values: readonly unknown[] = []) {
    const leader =
      data[at(data, (await readMembers()).find(({ role }) => role === 'leader')?.name)];
    const client = new pg.Client({
      host: leader?.address ?? '',
      user: 'postgres',
      password: passwords['SUPERUSER_PASSWORD'] ?? '',
      database,
    });
    await client.connect();
    try {
      return (await client.query(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }
}

function toPart(host: Host, name: string, pattern: RegExp, script: string): Part {
  return { name, host, pattern, start: () => void host.start(name, script) };
}

function at(hosts: readonly Host[], name: string | undefined): number {
  return hosts.findIndex((host) => host.name === name);
}

async function isReady({ address }: Host): Promise<boolean> {
  const response = await fetch(`http://${address}:4000/readyz`, LIMIT());
  return response.ok && ((await response.json()) as { ok: boolean }).ok;
}

/** What fails here counts as not yet. */
async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (!(await isSo().catch(() => false))) {
    if (performance.now() > giveUpAt)
      throw new Error(`There is not ${what} within ${PATIENCE_MS} ms.`);
    await wait(500);
  }
}

function tell(program: string, ...args: readonly string[]): string {
  try {
    return execFileSync(program, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 5_000,
    });
  } catch {
    return '';
  }
}

function readPasswords(file: string): Readonly<Record<string, string>> {
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  return Object.fromEntries(
    lines.map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]),
  );
}

const PATIENCE_MS = 120_000;
const LIMIT = () => ({ signal: AbortSignal.timeout(2_000) });
const as = (user: string) => `setpriv --reuid ${user} --regid ${user} --init-groups`;
// As the units of Debian's packages start them.
const ETCD = `set -a; . /etc/default/etcd; exec ${as('etcd')} /usr/bin/etcd`;
const PATRONI = `cd /var/lib/postgresql; exec ${as('postgres')} --reset-env /usr/bin/patroni /etc/patroni/config.yml`;
const REDIS = `exec ${as('redis')} /usr/bin/redis-server /etc/redis/redis.conf --daemonize no`;
const SENTINEL = `exec ${as('redis')} /usr/bin/redis-sentinel /etc/redis/sentinel.conf --daemonize no`;
const HAPROXY = 'exec haproxy -W -f /etc/haproxy/haproxy.cfg';
/** The sandbox, each host its own, is the provider. It is not allowed in production. */
const CROSSBOOK =
  'NODE_ENV=development CROSSBOOK_SANDBOX=on CROSSBOOK_HOSTS=crossbook,10.0.0.10,10.0.0.11,10.0.0.12,10.0.0.13 LOG_LEVEL=warn ' +
  'exec dist/crossbook --env-file /etc/crossbook.env';

interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly timeline?: number;
}

export interface Part {
  readonly name: string;
  readonly host: Host;
  /** Of the command lines of its processes. */
  readonly pattern: RegExp;
  start(): void;
}

export interface Choices {
  readonly synchronous: boolean;
  readonly etcdApi: 'v2' | 'v3';
}

/** The hosts of the databases are named by their position. */
export interface Cluster {
  readonly url: string;
  /** The API key of the demo. */
  readonly key: string;
  readonly parts: Readonly<
    Record<'etcd' | 'postgres' | 'redis' | 'sentinel' | 'crossbook' | 'proxy', readonly Part[]>
  >;
  query(text: string, values: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  findPrimary(): Promise<number>;
  findStandby(): Promise<number>;
  findRedisMaster(): number;
  findEtcdLeader(): number;
  switchOver(to: number): void;
  untilWell(): Promise<void>;
}
