import type { Cluster, Part } from './cluster.ts';

/** Each fault in turn. `begin` returns how it ends. */
export function listFaults({ parts, ...cluster }: Cluster): readonly Fault[] {
  const { crossbook, postgres, redis, sentinel, etcd, proxy } = parts;
  const primary = async () => pick(postgres, await cluster.findPrimary());
  const standby = async () => pick(postgres, await cluster.findStandby());
  const master = async () => pick(redis, cluster.findRedisMaster());
  const leader = async () => pick(etcd, cluster.findEtcdLeader());
  const first = (list: readonly Part[]) => async () => pick(list, 0);
  return [
    { name: 'Crossbook killed', begin: kill(first(crossbook)) },
    { name: 'Crossbook frozen', begin: freeze(first(crossbook)) },
    { name: "Crossbook's host cut off", begin: cut(first(crossbook)) },
    { name: 'PostgreSQL primary and Patroni killed', begin: kill(primary) },
    { name: 'PostgreSQL primary and Patroni frozen', begin: freeze(primary) },
    { name: 'Patroni of the primary frozen', begin: freeze(primary, /patroni/) },
    { name: 'PostgreSQL primary frozen, not its Patroni', begin: freeze(primary, /postgres/) },
    { name: "primary's host cut off", begin: cut(primary) },
    { name: 'synchronous standby killed', begin: kill(standby) },
    { name: 'synchronous standby frozen', begin: freeze(standby) },
    { name: "synchronous standby's host cut off", begin: cut(standby) },
    {
      name: 'switchover',
      async begin() {
        cluster.switchOver(await cluster.findStandby());
        return () => {};
      },
    },
    { name: 'etcd leader killed', begin: kill(leader) },
    { name: 'etcd leader frozen', begin: freeze(leader) },
    { name: 'Redis master killed', begin: kill(master) },
    { name: 'Redis master frozen', begin: freeze(master) },
    { name: "Redis master's host cut off", begin: cut(master) },
    { name: 'a Sentinel killed', begin: kill(first(sentinel)) },
    { name: 'a Sentinel frozen', begin: freeze(first(sentinel)) },
    { name: 'all of Crossbook killed', seconds: 8, begin: killAll(crossbook) },
    { name: 'HAProxy killed', seconds: 1, isUnreachable: true, begin: kill(first(proxy)) },
    { name: 'HAProxy frozen', seconds: 5, isUnreachable: true, begin: freeze(first(proxy)) },
  ];
}

function pick(parts: readonly Part[], at: number): Part {
  const part = parts[at];
  if (!part) throw new Error('The part to break was not found.');
  return part;
}

function kill(find: () => Promise<Part>): Fault['begin'] {
  return async () => {
    const part = await find();
    part.host.signal(part.pattern, 'SIGKILL');
    return part.start;
  };
}

function killAll(parts: readonly Part[]): Fault['begin'] {
  return async () => {
    for (const { host, pattern } of parts) host.signal(pattern, 'SIGKILL');
    return () => {
      for (const part of parts) part.start();
    };
  };
}

function freeze(find: () => Promise<Part>, pattern?: RegExp): Fault['begin'] {
  return async () => {
    const part = await find();
    part.host.signal(pattern ?? part.pattern, 'SIGSTOP');
    return () => part.host.signal(pattern ?? part.pattern, 'SIGCONT');
  };
}

function cut(find: () => Promise<Part>): Fault['begin'] {
  return async () => {
    const { host } = await find();
    host.cut();
    return host.mend;
  };
}

export interface Fault {
  readonly name: string;
  /** How long it lasts, if not as long as the others. */
  readonly seconds?: number;
  /** Whether clients cannot reach anything: there is one balancer. */
  readonly isUnreachable?: boolean;
  begin(): Promise<() => void>;
}
