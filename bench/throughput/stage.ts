import type { ContenderReady } from '../contenders/serve.ts';
import {
  type Crossbook,
  connectCustomer,
  startCrossbook,
  toHeaders,
} from '../support/crossbook.ts';
import type { Options } from '../support/options.ts';
import { scriptOf } from '../support/paths.ts';
import { findFreePorts } from '../support/ports.ts';
import { type BenchProcess, startProcess } from '../support/process.ts';
import { showProgress } from '../support/progress.ts';
import { openTemporaryDatabase } from '../support/temporary-database.ts';
import type { UpstreamReady } from '../upstream/main.ts';
import { CONTENDERS, type Contender } from '../workload/contenders.ts';

/**
 * Every participant in a process of its own: HubSpot, the load generator, and each contender, which has the first
 * core when it runs.
 */
export async function openStage({
  node,
  only,
  databaseUrl,
  variants = [],
  floor,
  records,
}: StageOptions): Promise<Stage> {
  const wanted: readonly Participant[] = [
    ...(floor ? [floor] : []),
    ...CONTENDERS.filter(
      ({ name, onPostgres }) =>
        (!only || only.includes(name)) && (!onPostgres || databaseUrl !== undefined),
    ),
    ...variants.map((variant) => ({ kind: 'graphql' as const, ...variant })),
  ];
  showProgress('starting Crossbook, HubSpot and the load');
  const database = wanted.some(({ onPostgres }) => onPostgres)
    ? await openTemporaryDatabase(databaseUrl ?? '')
    : undefined;
  const crossbooks = new Map<Participant, Crossbook>();
  for (const participant of wanted) {
    const { script, onPostgres, engineFlags, product } = participant;
    if (script !== undefined) continue;
    const env = onPostgres && database ? { DATABASE_URL: database.url } : {};
    crossbooks.set(
      participant,
      await startCrossbook({ node, engineFlags, product, env, core: 'first' }),
    );
  }
  const [peersPort = 0] = await findFreePorts(1);
  const ports = [peersPort, ...[...crossbooks.values()].map(({ hubspotPort }) => hubspotPort)];
  const upstream = await startProcess<UpstreamReady>({
    script: scriptOf('upstream/main'),
    args: ports.map(String),
    node,
    core: 'others',
  });
  const { account } = upstream.ready;
  for (const crossbook of crossbooks.values())
    await connectCustomer(crossbook, { customerId: CUSTOMER, account, records });
  const load = await startProcess<object>({ script: scriptOf('load/main'), node, core: 'others' });
  const args = [`http://127.0.0.1:${peersPort}`, account.staticToken];
  const players: Player[] = [];
  for (const participant of wanted) {
    const { script } = participant;
    const crossbook = crossbooks.get(participant);
    if (crossbook) players.push(toPlayer(participant, crossbook));
    else if (script !== undefined)
      players.push(await startPeer(participant, { script, args, node }));
  }
  return {
    players,
    load,
    upstream,
    async close() {
      const processes = [...players.map(({ process }) => process), load, upstream];
      await Promise.all(processes.map((one) => one.stop()));
      await database?.drop();
    },
  };
}

async function startPeer(peer: Contender, { script, args, node }: PeerOptions): Promise<Player> {
  showProgress(`starting ${peer.title}`);
  const process = await startProcess<ContenderReady>({
    script: scriptOf(script),
    args,
    node,
    core: 'first',
  });
  return { ...peer, process, url: process.ready.url, headers: {} };
}

function toPlayer(contender: Contender, crossbook: Crossbook): Player {
  return {
    ...contender,
    process: crossbook,
    url: crossbook.url,
    headers: toHeaders(crossbook, CUSTOMER),
  };
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

interface PeerOptions {
  readonly script: string;
  readonly args: readonly string[];
  readonly node: string;
}

export interface StageOptions extends Options {
  /** Variants of Crossbook, beside the shipped one. */
  readonly variants?: readonly Variant[] | undefined;
  /** A reference of its own, in place of that of the contenders. */
  readonly floor?: Contender | undefined;
  /** The types of records that the connection may read. Absent: contacts. */
  readonly records?: readonly string[] | undefined;
}

export interface Variant {
  readonly name: string;
  readonly title: string;
  readonly engineFlags?: readonly string[] | undefined;
  /** Another build of Crossbook: its `dist`. */
  readonly product?: string | undefined;
}

/** A contender, or a variant of Crossbook. */
type Participant = Contender & Omit<Variant, keyof Contender>;
