import { quote } from '../lib/text.ts';
import { type Of, toEnumName, words } from './shape.ts';

export { EXAMPLE_URLS, toExampleSources } from '../provider-texts.ts';

export const category = words('Category', 'Category of a provider.', {
  crm: 'CRM: contacts, companies and deals.',
  engagement: 'Sales engagement: messages and calls of salespeople.',
  enrichment: 'Enrichment: public data about people and companies.',
  marketing_automation: 'Marketing automation: campaigns and lead scoring.',
  no_category: 'Any other category.',
});
export type Category = Of<typeof category>;

/** The 18 providers: category, the vendor's name, and a description. */
const TOOLS = {
  salesforce: ['crm', 'Salesforce', 'Salesforce, a CRM. Its contacts can be searched.'],
  hubspot: ['crm', 'HubSpot', 'HubSpot, a CRM. Its contacts can be searched.'],
  pipedrive: ['crm', 'Pipedrive', 'Pipedrive, a CRM. Its contacts can be searched.'],
  zendesk_sell: ['crm', 'Zendesk Sell', 'Zendesk Sell, a CRM.'],
  ms_dynamics_365_sales: [
    'crm',
    'Microsoft Dynamics 365 Sales',
    'Microsoft Dynamics 365 Sales, a CRM.',
  ],
  zoho_crm: ['crm', 'Zoho CRM', 'Zoho CRM.'],
  capsule: ['crm', 'Capsule', 'Capsule, a CRM.'],
  outreach: ['engagement', 'Outreach', 'Outreach, for sales engagement.'],
  apollo: ['engagement', 'Apollo', 'Apollo.io, for sales engagement.'],
  salesloft: ['engagement', 'Salesloft', 'Salesloft, for sales engagement.'],
  clearbit: ['enrichment', 'Clearbit', 'Clearbit, for data enrichment.'],
  '6sense': [
    'enrichment',
    '6sense',
    '6sense, for data enrichment. (GraphQL names cannot start with a digit.)',
  ],
  marketo: ['marketing_automation', 'Marketo Engage', 'Marketo Engage, for marketing automation.'],
  salesforce_marketing_cloud_account_engagement: [
    'marketing_automation',
    'Marketing Cloud Account Engagement',
    'Salesforce Marketing Cloud Account Engagement, formerly Pardot, for marketing automation.',
  ],
  gong: ['no_category', 'Gong', 'Gong, for conversations with customers.'],
  intercom: ['no_category', 'Intercom', 'Intercom, for messages to customers.'],
  linear: ['no_category', 'Linear', 'Linear, for issues and projects.'],
  slack: ['no_category', 'Slack', 'Slack, for messages within a team.'],
} as const satisfies Record<string, readonly [category: Category, title: string, meaning: string]>;
export type ProviderName = keyof typeof TOOLS;

export const PROVIDER_NAMES = Object.keys(TOOLS) as readonly ProviderName[];

/** The providers that examples name: two whose contacts can be searched, and one whose contacts cannot. */
export const EXAMPLE_PROVIDERS = {
  first: 'hubspot',
  second: 'salesforce',
  unsearchable: 'zendesk_sell',
} as const satisfies Readonly<Record<string, ProviderName>>;

/** The providers whose contacts can be searched: those of which `providers/` has an adapter. */
export const SEARCHABLE_PROVIDERS = [
  'salesforce',
  'hubspot',
  'pipedrive',
] as const satisfies readonly ProviderName[];

export const PROVIDER_CATEGORIES = mapTools(([toolCategory]): Category => toolCategory);

/** The vendors' spelling of their names. */
export const PROVIDER_TITLES = mapTools(([, title]): string => title);

export const providerName = words(
  'ProviderName',
  'A third-party tool that a customer can connect.',
  mapTools(([, , meaning]): string => meaning),
);

function mapTools<Value>(read: (tool: (typeof TOOLS)[ProviderName]) => Value) {
  const values = PROVIDER_NAMES.map((name) => [name, read(TOOLS[name])]);
  return Object.fromEntries(values) as Readonly<Record<ProviderName, Value>>;
}

export function isProviderName(value: string): value is ProviderName {
  return Object.hasOwn(TOOLS, value);
}

/** The provider of this name, or of its name in GraphQL: `hubspot` or `HUBSPOT`. */
export function findProviderName(name: string): ProviderName | undefined {
  return isProviderName(name) ? name : BY_ENUM_NAME.get(name);
}

/** What to say of a name that no provider has. */
export function toUnknownProvider(name: string): string {
  return `${quote(name)} is not a provider; the providers are ${PROVIDER_NAMES.join(', ')}`;
}

const BY_ENUM_NAME: ReadonlyMap<string, ProviderName> = new Map(
  PROVIDER_NAMES.map((name) => [toEnumName(name), name]),
);
