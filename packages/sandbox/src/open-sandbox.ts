import type { SandboxAccount } from './account.ts';
import { openCrm, type SandboxCrm } from './crm.ts';
import type { Certificate } from './http.ts';
import { hubSpotSimulation } from './hubspot/simulation.ts';
import type { HubSpotTypes } from './hubspot/types.ts';
import { pipedriveSimulation } from './pipedrive/simulation.ts';
import type { PipedriveTypes } from './pipedrive/types.ts';
import { salesforceSimulation } from './salesforce/simulation.ts';
import type { SalesforceTypes } from './salesforce/types.ts';
import type { CrmTypes, Simulation } from './simulation.ts';

/** The simulated CRMs, listening on loopback. Nothing is stored: closing the sandbox discards all data. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const {
    hubspotPort = 0,
    salesforcePort = 0,
    pipedrivePort = 0,
    enforceLimits = true,
    now = steadyClock(),
    tls,
  } = options;
  const shared = { enforceLimits, now, tls };
  const opened: { close(): Promise<void> }[] = [];
  const open = async <Crm extends CrmTypes>(simulation: Simulation<Crm>, port: number) => {
    const crm = await openCrm({ simulation, port, ...shared });
    opened.push(crm);
    return crm;
  };
  const close = async () => {
    await Promise.all(opened.map((crm) => crm.close()));
  };
  try {
    return {
      hubspot: await open(hubSpotSimulation, hubspotPort),
      salesforce: await open(salesforceSimulation, salesforcePort),
      pipedrive: await open(pipedriveSimulation, pipedrivePort),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A clock that does not follow steps of the machine's wall clock, as a remote server's would not. */
export function steadyClock(): () => number {
  const offset = Date.now() - performance.now();
  return () => Math.floor(offset + performance.now());
}

export interface SandboxOptions {
  /** 0 or absent: any free port. */
  readonly hubspotPort?: number | undefined;
  readonly salesforcePort?: number | undefined;
  readonly pipedrivePort?: number | undefined;
  /** False: accounts have no rate limits unless they are created with some. */
  readonly enforceLimits?: boolean | undefined;
  /** Absent: plain HTTP. */
  readonly tls?: Certificate | undefined;
  /** The clock of limits and of tokens, in milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
}

export interface Sandbox {
  readonly hubspot: SandboxCrm<HubSpotTypes>;
  readonly salesforce: SandboxCrm<SalesforceTypes>;
  readonly pipedrive: SandboxCrm<PipedriveTypes>;
  close(): Promise<void>;
}

export type HubSpotAccount = SandboxAccount<HubSpotTypes>;
export type PipedriveAccount = SandboxAccount<PipedriveTypes>;
export type SalesforceAccount = SandboxAccount<SalesforceTypes>;
