import type { Sealer } from '../domain/sealer.ts';
import type { Clock } from '../lib/clock.ts';
import type { Work } from './complete-connect-link.ts';
import type { Engine } from './engine/engine.ts';
import { appendEvents } from './event-statements.ts';

/** Runs a change of a link as one transaction. */
export function createConnectWork({
  engine,
  clock,
  credentialSealer,
  onAppended,
}: ConnectDeps): RunConnectWork {
  return async (work) => {
    const result = await engine.once(() =>
      engine.orm.transaction((tx) => {
        const now = new Date(clock.wall());
        return work({
          ...{ tx, credentialSealer, now },
          appendEvent: (applicationId, event) =>
            appendEvents(tx, { applicationId, at: now, events: [event] }),
        });
      }),
    );
    onAppended();
    return result;
  };
}

export type RunConnectWork = <T>(work: (work: Work) => Promise<T>) => Promise<T>;

export interface ConnectDeps {
  readonly engine: Engine;
  readonly clock: Pick<Clock, 'wall'>;
  /** For verifiers, and for grants until they are confirmed. */
  readonly sealer: Sealer;
  readonly credentialSealer: Sealer;
  /** Events may be there that were not. */
  readonly onAppended: () => void;
}
