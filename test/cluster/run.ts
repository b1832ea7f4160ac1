import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openCluster } from './cluster.ts';
import { type Fault, listFaults } from './faults.ts';
import { type Answer, startLoad } from './load.ts';

/**
 * `npm run cluster`: several hosts in network namespaces, and a row for each fault with what clients saw. All of it
 * is in namespaces of a child process, and ends with that process.
 */
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    rate: { type: 'string', default: '60' },
    only: { type: 'string' },
    /** As if synchronous_mode were false. */
    asynchronous: { type: 'boolean', default: false },
    etcd: { type: 'string', default: 'v2' },
    /** Keeps the folder with the logs. */
    keep: { type: 'boolean', default: false },
  },
});

const PROGRAMS = {
  '/usr/bin/patroni': 'patroni',
  '/usr/bin/etcd': 'etcd-server',
  '/usr/bin/etcdctl': 'etcd-client',
  '/usr/bin/redis-server': 'redis-server',
  '/usr/bin/redis-sentinel': 'redis-sentinel',
  '/usr/sbin/haproxy': 'haproxy',
  '/usr/lib/postgresql/15/bin/postgres': 'postgresql-15',
  '/usr/lib/python3/dist-packages/etcd/__init__.py': 'python3-etcd',
  '/usr/sbin/ip': 'iproute2',
  '/usr/bin/openssl': 'openssl',
};
/** Of process ids too, whose first process (a shell, which reaps orphans) takes all others with it. */
const UNSHARE = ['--mount', '--net', '--pid', '--fork', '--kill-child', '--mount-proc'];
/** HAProxy closes the connection of a client whose request a killed process had. */
const MAX_UNANSWERED = 20;
const INSIDE = 'CLUSTER_FOLDER';

const folder = process.env[INSIDE];
// Processes of the cluster are still running: they end with this one.
process.exit(folder === undefined ? await runInNamespaces() : (await runFaults(folder)) ? 0 : 1);

async function runInNamespaces(): Promise<number> {
  const missing = Object.entries(PROGRAMS).flatMap(([path, name]) =>
    existsSync(path) ? [] : [name],
  );
  if (missing.length > 0) return fail(`Missing packages: apt-get install ${missing.join(' ')}`);
  if (spawnSync('unshare', [...UNSHARE, 'true']).status !== 0)
    return fail('This needs namespaces: run it as root, and not in a container without them.');
  const root = mkdtempSync(join(tmpdir(), 'crossbook-hosts-'));
  spawnSync('chmod', ['755', root]);
  const [self = '', ...args] = process.argv.slice(1);
  const command = ['bash', '-c', '"$@" & wait $!', 'bash', process.execPath, self, ...args];
  // It ends with this process, even if that is killed.
  const guard = ['--pdeathsig', 'KILL', 'unshare'];
  const child = spawn('setpriv', [...guard, ...UNSHARE, ...command], {
    stdio: 'inherit',
    env: { ...process.env, [INSIDE]: root },
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => child.kill('SIGKILL'));
  const [status] = (await once(child, 'exit')) as [number | null];
  if (values.keep) process.stdout.write(`The logs are in ${root}.\n`);
  else rmSync(root, { recursive: true, force: true });
  return status ?? 1;
}

function fail(reason: string): number {
  process.stderr.write(`${reason}\n`);
  return 1;
}

async function runFaults(root: string): Promise<boolean> {
  const cluster = await openCluster(root, {
    synchronous: !values.asynchronous,
    etcdApi: values.etcd === 'v3' ? 'v3' : 'v2',
  });
  const acknowledged: string[] = [];
  const problems: string[] = [];
  print([
    'fault',
    'requests',
    'acknowledged writes lost',
    'longest time without a right upsert',
    'clients saw',
    'slowest',
  ]);
  print(['---', '---', '---', '---', '---', '---']);
  const faults = listFaults(cluster).filter(
    ({ name }) => !values.only || name.includes(values.only),
  );
  for (const fault of faults) {
    const { answers, from, isWell } = await measure(fault);
    const upserts = answers.filter(({ id }) => id !== undefined);
    const ids = upserts.flatMap(({ isRight, id }) => (isRight && id ? [id] : []));
    acknowledged.push(...ids);
    const lost = await countLost(ids);
    const strange = answers.flatMap(({ problem }) => problem ?? []);
    const unanswered = answers.filter(({ outcome }) => outcome.startsWith('no response'));
    if (lost > 0) problems.push(`${fault.name}: ${lost} acknowledged writes are lost.`);
    if (strange.length > 0) problems.push(`${fault.name}: ${strange.length} × ${strange[0]}`);
    if (unanswered.length > MAX_UNANSWERED && !fault.isUnreachable)
      problems.push(`${fault.name}: ${unanswered.length} requests without a response.`);
    if (!isWell) problems.push(`${fault.name}: not everything is well again afterwards.`);
    print([
      fault.name,
      String(answers.length),
      `${lost} of ${ids.length}`,
      `${longestGap(upserts, from).toFixed(1)} s`,
      countOutcomes(answers),
      `${(Math.max(...answers.map(({ sentAt, endedAt }) => endedAt - sentAt)) / 1_000).toFixed(1)} s`,
    ]);
  }
  const lost = await countLost(acknowledged);
  process.stdout.write(
    `\nAt the end: ${lost} of ${acknowledged.length} acknowledged writes lost.\n`,
  );
  if (lost > 0) problems.push(`${lost} acknowledged writes are lost at the end.`);
  process.stdout.write(problems.length === 0 ? 'All rows hold.\n' : `${problems.join('\n')}\n`);
  return problems.length === 0;

  async function measure(fault: Fault) {
    const load = startLoad(cluster, Number(values.rate));
    await wait(3_000);
    const from = performance.now();
    const end = await fault.begin();
    await wait((fault.seconds ?? Number(values.seconds)) * 1_000);
    end();
    await wait(5_000);
    const isWell = await cluster.untilWell().then(
      () => true,
      () => false,
    );
    await load.stop();
    return { answers: load.answers, from, isWell };
  }

  async function countLost(ids: readonly string[]): Promise<number> {
    const text = 'select customer_id from crossbook.customers where customer_id = any($1)';
    return ids.length - (await cluster.query(text, [ids])).length;
  }
}

/** Between two right upserts, from the begin of the fault on. */
function longestGap(upserts: readonly Answer[], from: number): number {
  const times = upserts.flatMap(({ isRight, endedAt }) =>
    isRight && endedAt > from ? [endedAt] : [],
  );
  times.sort((a, b) => a - b);
  return Math.max(...times.map((time, index) => time - (times[index - 1] ?? from))) / 1_000;
}

function countOutcomes(answers: readonly Answer[]): string {
  const counts = new Map<string, number>();
  for (const { isRight, outcome } of answers) {
    const name = isRight ? 'right' : outcome;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ');
}

function print(cells: readonly string[]): void {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}
