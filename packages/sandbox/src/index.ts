export type { SandboxAccount } from './account.ts';
export type { RecordedCall } from './call-log.ts';
export { openCrm } from './crm.ts';
export { PIPELINES } from './deal-stages.ts';
export { COMMON_FAULTS, type Fault, type FaultTiming } from './faults.ts';
export { bearerOf, jsonAnswer, readJson, type SandboxRequest } from './http.ts';
export type { HubSpotQuirks } from './hubspot/types.ts';
export {
  describeSandbox,
  type JoinedSandbox,
  joinSandbox,
  type SandboxFacts,
} from './join-sandbox.ts';
export {
  type HubSpotAccount,
  openSandbox,
  type PipedriveAccount,
  type SalesforceAccount,
  type Sandbox,
  type SandboxOptions,
} from './open-sandbox.ts';
export type { Person } from './people.ts';
export type { ChangeStream } from './people-changes.ts';
export { SPECIAL_PEOPLE } from './people-special.ts';
export { longTexts, type RecordKind } from './records.ts';
export { parseQuery } from './salesforce/soql/parse.ts';
export type { Condition } from './salesforce/soql/syntax.ts';
export type { SalesforceQuirks } from './salesforce/types.ts';
export type { CrmTypes, Simulation } from './simulation.ts';
export { isAlive } from './tokens.ts';
