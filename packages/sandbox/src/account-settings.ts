import type { AccountSetup } from './account.ts';
import { createFaultQueue, type Fault, type FaultQueue, type FaultTiming } from './faults.ts';
import type { CrmTypes, Simulation } from './simulation.ts';

/** The settings of an account: its quirks, its limits, and the faults queued for the next calls. */
export function openSettings<Crm extends CrmTypes>(setup: AccountSetup<Crm>): AccountSettings<Crm> {
  const { simulation, now } = setup;
  const faults = createFaultQueue();
  let quirks = merge(simulation.quirks, setup.options.quirks ?? {});
  let limits = setup.limits && merge(simulation.limits, setup.limits);
  return {
    get quirks() {
      return quirks;
    },
    get limits() {
      return limits;
    },
    faults,
    setQuirks(patch) {
      quirks = merge(quirks, patch);
    },
    setLimits(patch) {
      limits = patch && merge(limits ?? simulation.limits, patch);
    },
    fail(fault, timing) {
      faults.add(typeof fault === 'string' ? namedFault(simulation, fault, now()) : fault, timing);
    },
    clearFaults: () => faults.clear(),
  };
}

/** An unknown setting is a typo in the test: ignored, it would let the test pass for the wrong reason. */
function merge<Settings extends object>(settings: Settings, patch: Partial<Settings>): Settings {
  for (const name of Object.keys(patch))
    if (!(name in settings))
      throw new RangeError(
        `Unknown name: ${name}. Known names: ${Object.keys(settings).join(', ')}`,
      );
  return { ...settings, ...patch };
}

function namedFault<Crm extends CrmTypes>(
  simulation: Simulation<Crm>,
  name: string,
  now: number,
): Fault {
  const fault = simulation.faults[name];
  if (fault === undefined)
    throw new RangeError(
      `Unknown fault: ${name}. Known faults: ${Object.keys(simulation.faults).join(', ')}`,
    );
  return typeof fault === 'function' ? fault(now) : fault;
}

export interface AccountSettings<Crm extends CrmTypes> {
  readonly quirks: Readonly<Crm['quirks']>;
  setQuirks(patch: Partial<Crm['quirks']>): void;
  /** Null: no limits. */
  readonly limits: Readonly<Crm['limits']> | null;
  setLimits(patch: Partial<Crm['limits']> | null): void;
  readonly faults: FaultQueue;
  /**
   * The next call (or the one selected by `timing`) fails with this fault, or with one of the CRM's named faults.
   */
  fail(fault: Fault | string, timing?: FaultTiming): void;
  clearFaults(): void;
}
