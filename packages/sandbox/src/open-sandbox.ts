import type { SandboxAccount } from './account.ts';
import { openCrm, type SandboxCrm } from './crm.ts';
import type { Certificate } from './http.ts';
import { hubSpotImitation } from './hubspot/imitation.ts';
import type { HubSpotTypes } from './hubspot/types.ts';
import { salesforceImitation } from './salesforce/imitation.ts';
import type { SalesforceTypes } from './salesforce/types.ts';

/** The imitated CRMs, listening on loopback. Nothing is stored: closing the sandbox discards all data. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const {
    hubspotPort = 0,
    salesforcePort = 0,
    enforceLimits = true,
    now = steadyClock(),
    tls,
  } = options;
  const hubspot = await openCrm({
    imitation: hubSpotImitation,
    port: hubspotPort,
    enforceLimits,
    now,
    tls,
  });
  const salesforce = await openCrm({
    imitation: salesforceImitation,
    port: salesforcePort,
    enforceLimits,
    now,
    tls,
  }).catch(async (error: unknown) => {
    await hubspot.close();
    throw error;
  });
  return {
    hubspot,
    salesforce,
    async close() {
      await Promise.all([hubspot.close(), salesforce.close()]);
    },
  };
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
  close(): Promise<void>;
}

export type HubSpotAccount = SandboxAccount<HubSpotTypes>;
export type SalesforceAccount = SandboxAccount<SalesforceTypes>;
