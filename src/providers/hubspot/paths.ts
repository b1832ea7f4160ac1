import type { ApiVersion } from '../../domain/api-support.ts';

/** HubSpot dates its versions and supports each for 18 months: this is the one place that names ours, released 2026-03-30. */
const VERSION = '2026-03';
export const API_VERSION: ApiVersion = { version: VERSION, supportedUntil: '2027-09-30' };

/** The same for every region: HubSpot routes by token. An account's instance URL only identifies it. */
export const API_ORIGIN = 'https://api.hubapi.com';

export const PATHS = {
  search: `/crm/objects/${VERSION}/contacts/search`,
  batchRead: `/crm/objects/${VERSION}/contacts/batch/read`,
  companies: `/crm/associations/${VERSION}/contacts/companies/batch/read`,
  deals: `/crm/associations/${VERSION}/contacts/deals/batch/read`,
  tickets: `/crm/associations/${VERSION}/contacts/tickets/batch/read`,
  token: `/oauth/${VERSION}/token`,
  introspect: `/oauth/${VERSION}/token/introspect`,
  revoke: `/oauth/${VERSION}/token/revoke`,
} as const;
