import { type Of, words, wordsOf } from './shape.ts';

export const category = words('Category', 'What kind of tool a provider is.', {
  crm: 'Keeps customers, deals and the people behind them.',
  engagement: 'Plans and sends what sales people write and say.',
  enrichment: 'Adds what is publicly known of people and companies.',
  marketing_automation: 'Runs campaigns and scores leads.',
  no_category: 'Anything else.',
});
export const CATEGORIES = wordsOf(category);
export type Category = Of<typeof category>;

/** The 18 tools, each with the category that it belongs to: a row here is all that both faces need. */
const TOOLS = {
  salesforce: ['crm', 'Salesforce, a CRM. Its contacts can be searched.'],
  hubspot: ['crm', 'HubSpot, a CRM. Its contacts can be searched.'],
  pipedrive: ['crm', 'Pipedrive, a CRM.'],
  zendesk_sell: ['crm', 'Zendesk Sell, a CRM.'],
  ms_dynamics_365_sales: ['crm', 'Microsoft Dynamics 365 Sales, a CRM.'],
  zoho_crm: ['crm', 'Zoho CRM.'],
  capsule: ['crm', 'Capsule, a CRM.'],
  outreach: ['engagement', 'Outreach, for sales engagement.'],
  apollo: ['engagement', 'Apollo.io, for sales engagement.'],
  salesloft: ['engagement', 'Salesloft, for sales engagement.'],
  clearbit: ['enrichment', 'Clearbit, for data enrichment.'],
  '6sense': ['enrichment', '6sense, for data enrichment. (GraphQL names cannot start with a digit.)'],
  marketo: ['marketing_automation', 'Marketo Engage, for marketing automation.'],
  salesforce_marketing_cloud_account_engagement: [
    'marketing_automation',
    'Salesforce Marketing Cloud Account Engagement, formerly Pardot, for marketing automation.',
  ],
  gong: ['no_category', 'Gong, for conversations with customers.'],
  intercom: ['no_category', 'Intercom, for messages to customers.'],
  linear: ['no_category', 'Linear, for issues and projects.'],
  slack: ['no_category', 'Slack, for messages within a team.'],
} as const satisfies Record<string, readonly [Category, string]>;
export type ProviderName = keyof typeof TOOLS;

export const PROVIDER_NAMES = Object.keys(TOOLS) as readonly ProviderName[];

export const PROVIDER_CATEGORIES = Object.fromEntries(
  PROVIDER_NAMES.map((name) => [name, TOOLS[name][0]]),
) as Readonly<Record<ProviderName, Category>>;

export const providerName = words(
  'ProviderName',
  'A third-party tool that a customer can connect.',
  Object.fromEntries(PROVIDER_NAMES.map((name) => [name, TOOLS[name][1]])) as Record<ProviderName, string>,
);

export function isProviderName(value: string): value is ProviderName {
  return Object.hasOwn(TOOLS, value);
}
