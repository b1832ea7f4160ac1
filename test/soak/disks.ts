import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findFreePorts } from '../support/free-ports.ts';
import { type Product, startProduct } from '../support/start-product.ts';
import { succeeds } from './cluster.ts';
import { type DiskStore, fillLog, STORES } from './disk-stores.ts';
import { type Answer, measureReturn, startOutageLoad } from './outage-load.ts';
import { openSmallDisk, type SmallDisk } from './small-disk.ts';

/** `npm run disks`: a full or read-only disk under each kind of storage, and a row with the outcome. */
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, only: { type: 'string' } },
});
const PER_SECOND = 40;
/** Anything later counts as a hang. */
const PATIENCE_MS = 60_000;

/** Each with how it begins and ends. The product either runs meanwhile, or is started during the fault. */
const FAULTS: readonly Fault[] = [
  { name: 'full', begin: ({ disk }) => disk.fill(), end: ({ disk }) => disk.free() },
  {
    name: 'full, with its log',
    async begin({ disk, store }) {
      await disk.fill();
      await fillLog(store.url());
    },
    end: ({ disk }) => disk.free(),
  },
  {
    name: 'no inodes',
    async begin({ disk, store }) {
      disk.takeInodes();
      await fillLog(store.url());
    },
    end: ({ disk }) => disk.free(),
  },
  {
    name: 'no inodes at a start',
    atStart: true,
    begin: ({ disk }) => disk.takeInodes(),
    end: ({ disk }) => disk.free(),
  },
  {
    name: 'full at a start',
    atStart: true,
    begin: ({ disk }) => disk.fill(),
    end: ({ disk }) => disk.free(),
  },
  {
    name: 'turned read-only',
    isBroken: true,
    begin: ({ disk }) => disk.turnReadOnly(),
    end: ({ disk }) => disk.repair(),
  },
  {
    name: 'read-only at a start',
    atStart: true,
    begin: ({ disk }) => disk.setReadOnly(true),
    end: ({ disk }) => disk.setReadOnly(false),
  },
];

let isWell = true;
for (const [name, openStore] of Object.entries(STORES)) {
  const disk = openSmallDisk();
  if (!disk) {
    process.stdout.write(
      'SKIPPED: this process may not mount a file system (it is not root, or in a container).\n',
    );
    break;
  }
  const store = await openStore(disk.folder);
  const sandbox = {
    CROSSBOOK_SANDBOX: 'on',
    CROSSBOOK_SANDBOX_PORT: String(await findFreePorts()),
  };
  const env = { ...store.env, ...sandbox, LOG_LEVEL: 'warn', CROSSBOOK_SHUTDOWN_MS: '20000' };
  const world: World = { disk, store, env, product: await startProduct(env), acknowledged: [] };
  try {
    for (const fault of FAULTS.filter(({ name }) => !values.only || name.includes(values.only))) {
      const { text, problems } = await (fault.atStart
        ? tryStart(world, fault)
        : tryRunning(world, fault));
      problems.push(...(await findLost(world)));
      const row = `${name.padEnd(10)} ${fault.name.padEnd(20)} ${text}, ${world.acknowledged.length} upserts kept`;
      process.stdout.write(`${problems.length === 0 ? 'holds ' : 'BROKEN'} ${row}\n`);
      for (const problem of problems) process.stdout.write(`         ${problem}\n`);
      isWell &&= problems.length === 0;
    }
  } finally {
    await stop(world.product);
    store.close();
    await disk.close();
  }
}
process.exitCode = isWell ? 0 : 1;

async function tryRunning(world: World, { begin, end, isBroken }: Fault): Promise<Row> {
  const problems: string[] = [];
  const load = startOutageLoad(world.product, PER_SECOND);
  await wait(1_000);
  await begin(world);
  await wait(Number(values.seconds) * 1_000);
  const reasons = readReasons(world.product);
  const bugs = world.product
    .lines()
    .filter((line) => line.startsWith('{"level":50') && line.includes('errorId'));
  if (reasons.length === 0) problems.push('The log does not say why the database is unavailable.');
  if (isBroken) {
    if (!(await inTime(load.stop().then(() => true)))) problems.push('A request has no answer.');
    await restart(world, problems, end);
  } else {
    await end(world);
    world.store.start();
  }
  const returnMs = await measureReturn(world.product);
  if (returnMs === undefined) problems.push('It is not ready again.');
  await wait(1_000);
  if (!(await inTime(load.stop().then(() => true)))) problems.push('A request has no answer.');
  world.acknowledged.push(...load.acknowledged);
  const refused = load.answers.filter(({ status }) => status === 503);
  const strange = load.answers.filter(({ status }) => status !== 200 && status !== 503);
  if (strange.length > 0) {
    problems.push(
      `${strange.length} answers are neither 200 nor 503: ${strange[0]?.status}`,
      ...bugs,
    );
  }
  if (refused.length === 0) problems.push('Nothing was refused: the fault was not met.');
  const text = `${load.answers.length - refused.length} right, ${refused.length} refused, slowest ${slowest(load.answers)} (probes ${slowest(load.readiness)}), said: ${reasons.join(', ')}`;
  return { text, problems };
}

async function tryStart(world: World, { begin, end }: Fault): Promise<Row> {
  const problems: string[] = [];
  let text = '';
  await restart(world, problems, async () => {
    await begin(world);
    const isServing = succeeds(world.store.start);
    const outcome = await inTime(startProduct(world.env).catch((error: Error) => error));
    if (outcome === undefined) problems.push('The start neither ends nor is ready.');
    else if (outcome instanceof Error) {
      const [ended = '', ...all] = outcome.message.trim().split('\n');
      const lines = all.filter((line) => !line.startsWith('{') && !line.endsWith(' …'));
      text = `${ended.replace('The product ', '').replace(':', '')}: ${lines.join(' | ')}`;
      if (!ended.endsWith('1:') || lines.length !== 1 || /\[object|^\s*at /.test(text)) {
        problems.push('Its last words are not one clear line.');
      }
    } else {
      text = `${isServing ? '' : 'without its server, '}started`;
      if (!(await stop(outcome))) problems.push('It does not stop.');
    }
    succeeds(world.store.stop);
    await end(world);
  });
  return { text, problems };
}

/** Stops everything that uses the disk, runs the callback, and starts again. */
async function restart(
  world: World,
  problems: string[],
  between: (world: World) => void | Promise<void>,
) {
  if (!(await stop(world.product))) problems.push('It does not stop.');
  if (!succeeds(world.store.stop)) problems.push('The server does not stop.');
  await between(world);
  world.store.start();
  world.product = await startProduct(world.env);
}

/** Each reason is logged once a minute: those of this product so far. */
function readReasons(product: Product): readonly string[] {
  const lines = product.lines().map((line) => JSON.parse(line) as { msg?: string; code?: string });
  return [
    ...new Set(
      lines.flatMap(({ msg, code }) => (msg === 'the database is unavailable' ? [code ?? ''] : [])),
    ),
  ];
}

/** Acknowledged upserts that are lost. */
async function findLost({ product, acknowledged }: World): Promise<string[]> {
  let lost = 0;
  for (const id of acknowledged) {
    const response = await fetch(`${product.url}/customers/${id}`, { headers: product.headers });
    const { name } = (await response.json()) as { name?: string };
    if (!name?.startsWith(id)) lost += 1;
  }
  return lost > 0 ? [`${lost} acknowledged upserts are lost.`] : [];
}

async function stop(product: Product): Promise<boolean> {
  if (await inTime(product.stop().then(() => true))) return true;
  product.child.kill('SIGKILL');
  await product.ended;
  return false;
}

/** Undefined: it timed out. */
function inTime<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  const late = new AbortController();
  return Promise.race([
    promise.finally(() => late.abort()),
    wait(PATIENCE_MS, undefined, { signal: late.signal }).catch(() => undefined),
  ]);
}

function slowest(answers: readonly Answer[]): string {
  return `${(Math.max(0, ...answers.map(({ ms }) => ms)) / 1_000).toFixed(2)} s`;
}

interface World {
  readonly disk: SmallDisk;
  readonly store: DiskStore;
  readonly env: Record<string, string>;
  product: Product;
  readonly acknowledged: string[];
}

interface Fault {
  readonly name: string;
  readonly atStart?: boolean;
  /** Everything on the disk has to be stopped before the fault can end. */
  readonly isBroken?: boolean;
  begin(world: World): void | Promise<void>;
  end(world: World): void | Promise<void>;
}

interface Row {
  readonly text: string;
  readonly problems: string[];
}
