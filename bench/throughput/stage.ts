import type { ContenderReady } from '../contenders/serve.ts';
import { type Crossbook, connectCustomer, startCrossbook, toHeaders } from '../support/crossbook.ts';
import type { Options } from '../support/options.ts';
import { scriptOf } from '../support/paths.ts';
import { type BenchProcess, startProcess } from '../support/process.ts';
import { showProgress } from '../support/progress.ts';
import { openTemporaryDatabase } from '../support/temporary-database.ts';
import type { UpstreamReady } from '../upstream/main.ts';
import { CONTENDERS, type Contender } from '../workload/contenders.ts';

/**
 * Every participant in a process of its own: HubSpot, the load generator, and each contender, which has the first
 * core when it runs.
 */
export async function openStage({ node, only, databaseUrl, variants = [] }: StageOptions): Promise<Stage> {
  const wanted = CONTENDERS.filter(
    ({ name, onPostgres }) => (!only || only.includes(name)) && (!onPostgres || databaseUrl !== undefined),
  );
  showProgress('starting Crossbook, HubSpot and the load');
  const database = wanted.some(({ onPostgres }) => onPostgres)
    ? await openTemporaryDatabase(databaseUrl ?? '')
    : undefined;
  const embedded = await startCrossbook({ node, core: 'first' });
  const onPostgres =
    database && (await startCrossbook({ node, core: 'first', env: { DATABASE_URL: database.url } }));
  const varied: Varied[] = [];
  for (const variant of variants) {
    const { engineFlags, product } = variant;
    varied.push({ variant, crossbook: await startCrossbook({ node, engineFlags, product, core: 'first' }) });
  }
  const crossbooks = [
    embedded,
    ...(onPostgres ? [onPostgres] : []),
    ...varied.map(({ crossbook }) => crossbook),
  ];
  const upstream = await startProcess<UpstreamReady>({
    script: scriptOf('upstream/main'),
    args: crossbooks.map(({ hubspotPort }) => String(hubspotPort)),
    node,
    core: 'others',
  });
  const { account } = upstream.ready;
  for (const crossbook of crossbooks) await connectCustomer(crossbook, { customerId: CUSTOMER, account });
  const load = await startProcess<object>({ script: scriptOf('load/main'), node, core: 'others' });
  const args = [`http://127.0.0.1:${embedded.hubspotPort}`, account.staticToken];
  const players: Player[] = [];
  for (const contender of wanted) {
    showProgress(`starting ${contender.title}`);
    const crossbook = contender.onPostgres ? onPostgres : embedded;
    players.push(await startPlayer(contender, { crossbook: crossbook ?? embedded, args, node }));
  }
  for (const { variant, crossbook } of varied)
    players.push(toPlayer({ kind: 'graphql', ...variant }, crossbook));
  return {
    players,
    load,
    upstream,
    async close() {
      const processes = [...players.map(({ process }) => process), ...crossbooks, load, upstream];
      await Promise.all(processes.map((one) => one.stop()));
      await database?.drop();
    },
  };
}

async function startPlayer(contender: Contender, { crossbook, args, node }: Cast): Promise<Player> {
  if (contender.script === undefined) return toPlayer(contender, crossbook);
  const script = scriptOf(contender.script);
  const process = await startProcess<ContenderReady>({ script, args, node, core: 'first' });
  return { ...contender, process, url: process.ready.url, headers: {} };
}

function toPlayer(contender: Contender, crossbook: Crossbook): Player {
  return { ...contender, process: crossbook, url: crossbook.url, headers: toHeaders(crossbook, CUSTOMER) };
}

const CUSTOMER = 'bench';

export interface Player extends Contender {
  readonly process: Pick<BenchProcess<unknown>, 'call' | 'pid' | 'stop'>;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface Stage {
  readonly players: readonly Player[];
  readonly load: BenchProcess<object>;
  readonly upstream: BenchProcess<UpstreamReady>;
  close(): Promise<void>;
}

interface Cast {
  readonly crossbook: Crossbook;
  readonly args: readonly string[];
  readonly node: string;
}

export interface StageOptions extends Options {
  /** Variants of Crossbook, beside the shipped one. */
  readonly variants?: readonly Variant[] | undefined;
}

export interface Variant {
  readonly name: string;
  readonly title: string;
  readonly engineFlags?: readonly string[] | undefined;
  /** Another build of Crossbook: its `dist`. */
  readonly product?: string | undefined;
}

interface Varied {
  readonly variant: Variant;
  readonly crossbook: Crossbook;
}
