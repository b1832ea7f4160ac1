export type { RecordedCall } from './call-log.ts';
export type { Fault, FaultTiming } from './faults.ts';
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
  type SalesforceAccount,
  type Sandbox,
  type SandboxOptions,
} from './open-sandbox.ts';
export type { Person } from './people.ts';
export type { ChangeStream } from './people-changes.ts';
export { SPECIAL_PEOPLE } from './people-special.ts';
export { longTexts } from './records.ts';
export { parseQuery } from './salesforce/soql/parse.ts';
export type { Condition } from './salesforce/soql/syntax.ts';
export type { SalesforceQuirks } from './salesforce/types.ts';
