import { isLoginOrigin, type SandboxCrm } from './crm.ts';
import { toLoginOrigin } from './salesforce/login-host.ts';
import type { CrmTypes } from './simulation.ts';

/** What another process has to know of an open sandbox to use it, as plain data. */
export function describeSandbox({ hubspot, salesforce, pipedrive }: JoinedSandbox): SandboxFacts {
  return {
    hubspot: describe(hubspot),
    salesforce: describe(salesforce),
    ...(pipedrive && { pipedrive: describe(pipedrive) }),
  };
}

/** The sandbox of another process. */
export function joinSandbox({ hubspot, salesforce, pipedrive }: SandboxFacts): JoinedSandbox {
  return {
    hubspot: join(hubspot, () => hubspot.origin),
    salesforce: join(salesforce, (host) => toLoginOrigin(host, salesforce.origin)),
    ...(pipedrive && { pipedrive: join(pipedrive, () => pipedrive.origin) }),
  };
}

function describe({ name, origin, nameOrigin, demo }: JoinedCrm): CrmFacts {
  const { id, accessToken, refreshToken, staticToken, clientId, clientSecret } = demo;
  return {
    name,
    origin,
    nameOrigin,
    demo: { id, accessToken, refreshToken, staticToken, clientId, clientSecret },
  };
}

function join(facts: CrmFacts, toOrigin: (host: string) => string): JoinedCrm {
  return {
    ...facts,
    toLoginOrigin: toOrigin,
    isLoginOrigin: (login) => isLoginOrigin(login, facts.origin),
  };
}

export interface SandboxFacts {
  readonly hubspot: CrmFacts;
  readonly salesforce: CrmFacts;
  readonly pipedrive?: CrmFacts | undefined;
}

interface CrmFacts extends Pick<SandboxCrm<CrmTypes>, 'name' | 'origin' | 'nameOrigin'> {
  readonly demo: DemoAccount;
}

type DemoAccount = Pick<
  SandboxCrm<CrmTypes>['demo'],
  'id' | 'accessToken' | 'refreshToken' | 'staticToken' | 'clientId' | 'clientSecret'
>;

interface JoinedCrm
  extends CrmFacts,
    Pick<SandboxCrm<CrmTypes>, 'toLoginOrigin' | 'isLoginOrigin'> {}

/** A sandbox as the product uses it: its own, or that of another process. */
export interface JoinedSandbox {
  readonly hubspot: JoinedCrm;
  readonly salesforce: JoinedCrm;
  /** Absent: the application does not use it. */
  readonly pipedrive?: JoinedCrm | undefined;
}
