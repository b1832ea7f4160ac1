import type { NewEvent } from '../domain/event.ts';
import type { Sealer } from '../domain/sealer.ts';
import type { Clock } from '../lib/clock.ts';
import type { Transaction, Work } from './complete-connect-link.ts';
import type { Engine } from './engine/engine.ts';

/** Runs a change of a link as one transaction. */
export function createConnectWork({
  engine,
  clock,
  credentialSealer,
  appendEvents,
}: ConnectDeps): RunConnectWork {
  return (work) =>
    engine.once(() =>
      engine.orm.transaction((tx) =>
        work({
          ...{ tx, credentialSealer, now: new Date(clock.wall()) },
          appendEvent: (applicationId, event) => appendEvents(tx, applicationId, [event]),
        }),
      ),
    );
}

export type RunConnectWork = <T>(work: (work: Work) => Promise<T>) => Promise<T>;

export interface ConnectDeps {
  readonly engine: Engine;
  readonly clock: Pick<Clock, 'wall'>;
  /** For verifiers, and for grants until they are confirmed. */
  readonly sealer: Sealer;
  readonly credentialSealer: Sealer;
  /** Within the transaction that is given. */
  appendEvents(tx: Transaction, applicationId: string, events: readonly NewEvent[]): Promise<void>;
}
