import type { Provider } from '../domain/provider.ts';
import { PROVIDER_CATEGORIES, type ProviderName } from '../domain/provider-names.ts';
import { hubspot } from './hubspot/provider.ts';
import { salesforce } from './salesforce/provider.ts';

/** Every tool that a customer can be connected to, by name. What has no contacts of its own answers NOT_IMPLEMENTED. */
export function createRegistry(): ReadonlyMap<ProviderName, Provider> {
  return new Map(Object.values(PROVIDERS).map((provider) => [provider.name, provider]));
}

const PROVIDERS: Readonly<Record<ProviderName, Provider>> = {
  salesforce,
  hubspot,
  pipedrive: unsearchable('pipedrive', under('pipedrive.com')),
  zendesk_sell: unsearchable('zendesk_sell', /^api\.getbase\.com$/, /^app\.futuresimple\.com$/),
  ms_dynamics_365_sales: unsearchable('ms_dynamics_365_sales', ...dynamicsHosts()),
  zoho_crm: unsearchable('zoho_crm', ...zohoHosts()),
  capsule: unsearchable('capsule', under('capsulecrm.com')),
  outreach: unsearchable('outreach', under('outreach.io')),
  apollo: unsearchable('apollo', under('apollo.io')),
  salesloft: unsearchable('salesloft', under('salesloft.com')),
  clearbit: unsearchable('clearbit', under('clearbit.com')),
  '6sense': unsearchable('6sense', under('6sense.com')),
  marketo: unsearchable('marketo', under('mktorest.com'), under('marketo.com')),
  salesforce_marketing_cloud_account_engagement: unsearchable(
    'salesforce_marketing_cloud_account_engagement',
    under('pardot.com'),
  ),
  gong: unsearchable('gong', under('gong.io')),
  intercom: unsearchable('intercom', under('intercom.com'), under('intercom.io')),
  linear: unsearchable('linear', under('linear.app')),
  slack: unsearchable('slack', under('slack.com')),
};

function unsearchable(name: ProviderName, ...instanceHosts: readonly RegExp[]): Provider {
  return { name, category: PROVIDER_CATEGORIES[name], instanceHosts };
}

/** A domain and whatever is under it. No call is made to these: it keeps a mistyped or foreign URL from being stored. */
function under(domain: string): RegExp {
  return new RegExp(String.raw`^([a-z0-9-]+\.)*${domain.replaceAll('.', String.raw`\.`)}$`);
}

/** The number names the region, and new ones come. The last line is the sovereign clouds. */
function dynamicsHosts(): readonly RegExp[] {
  return [
    /^[a-z0-9-]+(\.api)?\.crm\d{0,2}\.dynamics\.com$/,
    /^[a-z0-9-]+(\.api)?\.crm\.(microsoftdynamics\.us|appsplatform\.us|dynamics\.cn|microsoftdynamics\.de)$/,
  ];
}

/** One top-level domain for each data centre. */
function zohoHosts(): readonly RegExp[] {
  return [/^(www|sandbox|developer)\.zohoapis\.(com|eu|in|com\.au|jp|sa|ca|com\.cn|uk|ae)$/];
}
