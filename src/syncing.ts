import { randomUUID } from 'node:crypto';
import { Places } from './admission/places.ts';
import { BACKGROUND_WORK } from './admission/work.ts';
import type { FoundProblem } from './domain/custom-fields.ts';
import { CrossbookError } from './domain/errors.ts';
import type { BulkReader } from './domain/provider.ts';
import type { LinkRequest } from './domain/records/link.ts';
import type { CrmRecord } from './domain/records/record.ts';
import type { Destinations, DueSync, PlanScope } from './domain/sync.ts';
import { findSyncedRecord, SYNCED_RECORDS, type SyncedKind } from './domain/synced-records.ts';
import type { Foundation } from './foundation.ts';
import type { Outbound } from './outbound/outbound.ts';
import { watchSyncs } from './sync/watch.ts';
import { openSyncWorker } from './sync/worker.ts';
import { readGrantedAccess, requireAccess } from './usecases/record-access.ts';
import { removeRows } from './usecases/remove-rows.ts';
import { runSync } from './usecases/run-sync.ts';

/** Part of the composition root: syncs. What talks to destinations is loaded when there is one. */
export function openSyncs(
  foundation: Foundation,
  { outbound, mayCount, doesJobs, announceWork }: SyncingDeps,
) {
  const { config, database, telemetry, log, clock } = foundation;
  const { syncQueue: queue, syncPlans: plans, rowRemovals: removals } = database;
  const onError = (cause: unknown) => log.warn({ cause }, 'syncs failed to run; will retry');
  const destinations = openLazily(async () => {
    const { createDestinations } = await import('./sync/destinations.ts');
    return createDestinations({ clock, hosts: config.syncHosts });
  });
  // A check may take as long as the server likes, up to its limits.
  const checks = new Places({
    max: CHECKS_AT_ONCE,
    maxWaitMs: CHECK_WAIT_MS,
    clock,
    toRefusal: () =>
      new CrossbookError(
        'SERVICE_UNAVAILABLE',
        'Other sync destinations are being checked: try again.',
        { retryAfterMs: CHECK_WAIT_MS },
      ),
  });
  const planning = { job: 'plan syncs', holder: randomUUID() };
  const watch = watchSyncs({
    queue,
    plans,
    clock,
    onError,
    mayCount: async () => doesJobs && (await mayCount()),
    mayWalk: async (leaseMs) =>
      doesJobs && (await database.acquireJobLease({ ...planning, leaseMs })),
    tidy: () => destinations.opened()?.endIdle(),
    openWorker: async () => {
      if (!doesJobs) return { pump: async () => announceWork(), stop: async () => undefined };
      const open = await destinations.open();
      return openSyncWorker({
        queue,
        removals,
        clock,
        onError,
        async run(due, slot) {
          const deps = toRunDeps({ ...foundation, outbound }, due);
          const result = await runSync({ queue, destinations: open, ...deps, ...slot }, due);
          const { providerName } = due.connection;
          if (result.kind === 'completed') telemetry.metrics.syncRun(providerName, result.kind);
          if (result.kind !== 'failed') return;
          const { code } = result.error;
          telemetry.metrics.syncRun(providerName, code);
          const { connectionId: connection } = due.claimed;
          log.warn({ connection, table: due.table, code }, 'a sync failed');
        },
        remove: (removal) =>
          removeRows({ queue, removals, destinations: open, wall: clock.wall, onError }, removal),
      });
    },
  });
  return {
    ...watch,
    /** All connections of an application are left to the process that does jobs. */
    planSoon(scope: PlanScope): void {
      if (doesJobs || 'customerId' in scope) watch.planSoon(scope);
      else announceWork();
    },
    checkDestination: (
      destination: Parameters<Destinations['check']>[0],
      applicationId: string,
    ): Promise<void> =>
      checks.run(applicationId, async () => (await destinations.open()).check(destination)),
    async stop(): Promise<void> {
      await watch.stop();
      await destinations.opened()?.close();
    },
  };
}

/** An application has at most a third. */
const CHECKS_AT_ONCE = 12;
const CHECK_WAIT_MS = 5_000;

interface SyncingDeps {
  readonly outbound: Pick<Outbound, 'openCrmPort' | 'clockBehindMs'>;
  /** Whether this process runs syncs. One that does not plans those of the customers that it has changed. */
  readonly doesJobs: boolean;
  /** Syncs may be due, which another process runs. */
  announceWork(): void;
  mayCount(): Promise<boolean>;
}

function openLazily<T>(open: () => Promise<T>) {
  let opening: Promise<T> | undefined;
  let opened: T | undefined;
  return {
    async open(): Promise<T> {
      opening ??= open();
      opened = await opening;
      return opened;
    },
    /** Undefined if no one has opened it. */
    opened: () => opened,
  };
}

/** What one run needs of the process. */
export function toRunDeps(
  { database, providers, outbound, clock, log, telemetry }: Running,
  { connection, claimed, kind }: Pick<DueSync, 'connection' | 'claimed' | 'kind'>,
) {
  const provider = providers.get(connection.providerName);
  const access = provider?.crm;
  const { credentials, contactCache, customFields } = database.forApplication(
    claimed.applicationId,
  );
  const owner = { applicationId: claimed.applicationId, customerId: connection.customerId };
  const noted = new Set<string>();
  return {
    openRecords: () => {
      if (!provider || !access) return undefined;
      // The scopes alone decide about objects that are copied as they are.
      const record = findSyncedRecord(kind);
      if (record) requireAccess({ provider, connection }, record, 'read');
      let bytes = 0;
      const work = {
        ...BACKGROUND_WORK,
        read(more: number) {
          bytes += more;
          return undefined;
        },
      };
      const open = () =>
        outbound.openCrmPort({
          connection,
          access,
          credentials,
          cache: contactCache,
          work,
          isBackground: true,
          onCall: (call) => telemetry.usage?.called(owner, call),
          deadline: clock.now() + DEADLINE_MS,
        });
      return {
        records: toReader(() => open().bulk),
        readLinks: (kind: SyncedKind, requests: readonly LinkRequest[]) =>
          open().of<CrmRecord>(SYNCED_RECORDS[kind]).links(requests),
        readBytes: () => bytes,
      };
    },
    mayRead: (kind: SyncedKind) =>
      readGrantedAccess(provider, connection).some(
        ({ record, canRead }) => canRead && record === SYNCED_RECORDS[kind].type,
      ),
    searchLagMs: () => access?.searchLagMs ?? 0,
    clockBehindMs: () => (access ? outbound.clockBehindMs({ connection, access }) : 0),
    onWritten: (written: { readonly records: number; readonly deleted: number }) =>
      telemetry.metrics.syncRows(connection.providerName, written),
    access,
    readCustomFields: () => customFields.read(),
    noteProblem: (_connection: unknown, problem: FoundProblem) => {
      const key = JSON.stringify([problem.record, problem.field, problem.source, problem.problem]);
      if (noted.has(key)) return;
      noted.add(key);
      void customFields
        .noteProblems(connection, [problem])
        .catch((cause: unknown) => log.warn({ cause }, 'failed to store a mapping problem'));
    },
    wall: clock.wall,
    onError: (cause: unknown) => log.error({ cause }, 'a sync failed because of a bug'),
  };
}

/** A port has one deadline, so each operation has a port of its own. */
function toReader(open: () => BulkReader): BulkReader {
  return {
    describe: (source) => open().describe(source),
    readAll: (ask) => open().readAll(ask),
    readChanges: (ask) => open().readChanges(ask),
    find: (ask, ids) => open().find(ask, ids),
    readDeleted: (ask) => open().readDeleted(ask),
    readRelinked: (ask) => open().readRelinked(ask),
  };
}

/** Below the lease, so that a page that waits for the CRM's rate limit is not read in vain. */
const DEADLINE_MS = 40_000;

interface Running extends Pick<Foundation, 'database' | 'providers' | 'clock' | 'log'> {
  readonly outbound: Pick<Outbound, 'openCrmPort' | 'clockBehindMs'>;
  readonly telemetry: {
    readonly metrics: Pick<Foundation['telemetry']['metrics'], 'syncRows'>;
    /** Counts the calls for the customer. */
    readonly usage?: Pick<Foundation['telemetry']['usage'], 'called'>;
  };
}
