import type { PermitRelease } from '../domain/distributed-rate-limits.ts';
import type { Demo } from '../http/welcome.ts';
import type { PermitsRequest } from './permits-ahead.ts';

/** What the supervisor calls in a worker. */
export type WorkerCalls<Sandbox = unknown, Metrics = unknown> = {
  /** Resolves when the worker serves requests. A worker that cannot start prints the reason and exits. */
  readonly start: (options: WorkerStart<Sandbox>) => Promise<WorkerReady>;
  /** The private sockets of the workers that serve requests, by the number of the worker. */
  readonly setPeers: (sockets: readonly (string | null)[]) => void;
  readonly readMetrics: (nothing: null) => Promise<Metrics>;
  /** Resolves at once, unless the event loop of the worker hangs. */
  readonly ping: (nothing: null) => void;
  /** Something may be due. For the worker that does jobs. */
  readonly wake: (nothing: null) => void;
  /** Finish the running requests and exit. `isLast`: no other worker continues, so `/readyz` fails. */
  readonly stop: (how: { readonly isLast: boolean }) => void;
};

/** What a worker calls in its supervisor. */
export type SupervisorCalls<Metrics = unknown> = {
  /** The worker listens to calls. Messages that come before would be lost. */
  readonly hello: (nothing: null) => void;
  /** Startup progress, for the operator. */
  readonly step: (text: string) => void;
  /** Something may be due, which the worker that does jobs is told. */
  readonly announceWork: (nothing: null) => void;
  readonly count: (units: CountedUnits) => CountResult;
  /** One permit, and some that the worker may use without asking. */
  readonly acquire: (permits: PermitsRequest) => PermitsResult;
  readonly cancel: (permits: HubPermits) => void;
  readonly release: (permits: readonly PermitRelease[]) => void;
  /** The metrics of all workers as text. */
  readonly renderMetrics: (nothing: null) => Promise<string>;
  /** The last call of a worker: its counters stay in the sum. */
  readonly leave: (metrics: Metrics) => void;
};

export interface WorkerStart<Sandbox> {
  readonly role: 'requests' | 'jobs';
  /** From 0. The worker that does jobs has the last number. */
  readonly worker: number;
  /** Those that serve requests. */
  readonly workers: number;
  /** All of them. */
  readonly processes: number;
  /** Listens before it is ready, so that probes get a response during migrations. */
  readonly isFirst: boolean;
  /** The private socket to listen on. */
  readonly socket: string;
  /** The embedded database, which the supervisor runs. Null: `DATABASE_URL`. */
  readonly databaseUrl: string | null;
  /** The simulated CRMs, which the supervisor runs. Null: there are none. */
  readonly sandbox: Sandbox | null;
  /** Whether log lines are for a terminal. */
  readonly readable: boolean;
}

export interface WorkerReady {
  readonly url: string;
  /** For the startup message. */
  readonly welcome: {
    readonly demo: Demo | null;
    readonly hasMcp: boolean;
    readonly hasGraphiQL: boolean;
    readonly agentToken: string | null;
    /** See `Welcome` in http/welcome.ts. */
    readonly consoleKey: string | null;
    readonly notes: readonly string[];
  };
}

export interface CountedUnits {
  /** The rate limit and its owner. */
  readonly key: string;
  readonly units: number;
  readonly points: number;
  readonly windowMs: number;
}

/** Permits of one rate limit. */
export interface HubPermits {
  readonly name: string;
  readonly permitIds: readonly string[];
}

export type PermitsResult = Pick<HubPermits, 'permitIds'> | { readonly waitMs: number };

export interface CountResult {
  /** Of all workers, with the spare units. */
  readonly count: number;
  readonly resetMs: number;
  /** Units that the worker may use without asking again, until the window ends. */
  readonly spare: number;
}
