/** The 18 tools, each with the category that it belongs to. */
export const PROVIDER_CATEGORIES = {
  salesforce: 'crm',
  hubspot: 'crm',
  pipedrive: 'crm',
  zendesk_sell: 'crm',
  ms_dynamics_365_sales: 'crm',
  zoho_crm: 'crm',
  capsule: 'crm',
  outreach: 'engagement',
  apollo: 'engagement',
  salesloft: 'engagement',
  clearbit: 'enrichment',
  '6sense': 'enrichment',
  marketo: 'marketing_automation',
  salesforce_marketing_cloud_account_engagement: 'marketing_automation',
  gong: 'no_category',
  intercom: 'no_category',
  linear: 'no_category',
  slack: 'no_category',
} as const satisfies Record<string, Category>;

export type ProviderName = keyof typeof PROVIDER_CATEGORIES;

export const PROVIDER_NAMES = Object.keys(PROVIDER_CATEGORIES) as readonly ProviderName[];

export const CATEGORIES = ['crm', 'engagement', 'enrichment', 'marketing_automation', 'no_category'] as const;
export type Category = (typeof CATEGORIES)[number];

export function isProviderName(value: string): value is ProviderName {
  return Object.hasOwn(PROVIDER_CATEGORIES, value);
}
