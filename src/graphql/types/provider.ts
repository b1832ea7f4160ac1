import type { Category, ProviderName } from '../../domain/provider-names.ts';
import { listProviders, type ProviderFacts } from '../../usecases/list-providers.ts';
import { builder } from '../builder.ts';
import { costs } from '../cost.ts';
import { AssociatedObjectEnum } from './contact-enums.ts';
import { toEnumValues } from './enum-values.ts';

export const ProviderNameEnum = builder.enumType('ProviderName', {
  description: 'A third-party tool that a customer can connect.',
  values: toEnumValues<ProviderName>({
    salesforce: 'Salesforce, a CRM. Its contacts can be searched.',
    hubspot: 'HubSpot, a CRM. Its contacts can be searched.',
    pipedrive: 'Pipedrive, a CRM.',
    zendesk_sell: 'Zendesk Sell, a CRM.',
    ms_dynamics_365_sales: 'Microsoft Dynamics 365 Sales, a CRM.',
    zoho_crm: 'Zoho CRM.',
    capsule: 'Capsule, a CRM.',
    outreach: 'Outreach, for sales engagement.',
    apollo: 'Apollo.io, for sales engagement.',
    salesloft: 'Salesloft, for sales engagement.',
    clearbit: 'Clearbit, for data enrichment.',
    '6sense': '6sense, for data enrichment. (GraphQL names cannot start with a digit.)',
    marketo: 'Marketo Engage, for marketing automation.',
    salesforce_marketing_cloud_account_engagement:
      'Salesforce Marketing Cloud Account Engagement, formerly Pardot, for marketing automation.',
    gong: 'Gong, for conversations with customers.',
    intercom: 'Intercom, for messages to customers.',
    linear: 'Linear, for issues and projects.',
    slack: 'Slack, for messages within a team.',
  }),
});

export const CategoryEnum = builder.enumType('Category', {
  description: 'What kind of tool a provider is.',
  values: toEnumValues<Category>({
    crm: 'Keeps customers, deals and the people behind them.',
    engagement: 'Plans and sends what sales people write and say.',
    enrichment: 'Adds what is publicly known of people and companies.',
    marketing_automation: 'Runs campaigns and scores leads.',
    no_category: 'Anything else.',
  }),
});

const ProviderType = builder.objectRef<ProviderFacts>('Provider').implement({
  description: 'A tool that can be connected, and what Crossbook can do with it.',
  fields: (t) => ({
    name: t.expose('name', { type: ProviderNameEnum, description: 'Which tool it is.' }),
    category: t.expose('category', { type: CategoryEnum, description: 'What kind of tool it is.' }),
    canSearchContacts: t.exposeBoolean('canSearchContacts', {
      description: 'Can its contacts be searched? Where this is false, a search answers NOT_IMPLEMENTED.',
    }),
    associatedObjects: t.expose('associatedObjects', {
      type: [AssociatedObjectEnum],
      description: 'What the associations of its contacts can lead to. Empty where it offers none.',
      ...costs({ items: 3 }),
    }),
  }),
});

builder.queryField('providers', (t) =>
  t.field({
    type: [ProviderType],
    description:
      'All tools that can be connected, with what each can do: hide what would answer NOT_IMPLEMENTED. Needs an API key or a customer token, like every field that is not about the schema itself.',
    ...costs({ items: 18 }),
    resolve: (_root, _args, context) => listProviders(context),
  }),
);
