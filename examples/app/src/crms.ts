import type { Crm } from './backend.ts';

/** The app's settings of each CRM. Each has an alias of this name in the operation SearchContacts. */
export const CRMS: readonly CrmInfo[] = [
  { provider: 'HUBSPOT', alias: 'hubspot', title: 'HubSpot' },
  { provider: 'SALESFORCE', alias: 'salesforce', title: 'Salesforce' },
];

export interface CrmInfo {
  readonly provider: Crm;
  readonly alias: 'hubspot' | 'salesforce';
  readonly title: string;
}
