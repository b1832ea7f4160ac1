import type { Provider } from '../domain/provider.ts';
import {
  PROVIDER_CATEGORIES,
  PROVIDER_NAMES,
  type ProviderName,
} from '../domain/provider-names.ts';
import { hubspot } from './hubspot/provider.ts';
import { pipedrive } from './pipedrive/provider.ts';
import { salesforce } from './salesforce/provider.ts';

/** All providers by name. A provider without contacts answers NOT_IMPLEMENTED. */
export function createRegistry(): ReadonlyMap<ProviderName, Provider> {
  return new Map(PROVIDER_NAMES.map((name) => [name, toProvider(name, PROVIDERS[name])]));
}

function toProvider(name: ProviderName, declared: Provider | readonly RegExp[]): Provider {
  if ('name' in declared) return declared;
  return { name, category: PROVIDER_CATEGORIES[name], instanceHosts: declared };
}

/** Providers that can be searched; of the others the hosts of their instances. */
const PROVIDERS: Readonly<Record<ProviderName, Provider | readonly RegExp[]>> = {
  salesforce,
  hubspot,
  pipedrive,
  zendesk_sell: [/^api\.getbase\.com$/, /^app\.futuresimple\.com$/],
  ms_dynamics_365_sales: [
    // The number names the region, and may be new. The second line has the sovereign clouds.
    /^[a-z0-9-]+(\.api)?\.crm\d{0,2}\.dynamics\.com$/,
    /^[a-z0-9-]+(\.api)?\.crm\.(microsoftdynamics\.us|appsplatform\.us|dynamics\.cn|microsoftdynamics\.de)$/,
  ],
  // One top-level domain per data centre.
  zoho_crm: [/^(www|sandbox|developer)\.zohoapis\.(com|eu|in|com\.au|jp|sa|ca|com\.cn|uk|ae)$/],
  capsule: [under('capsulecrm.com')],
  outreach: [under('outreach.io')],
  apollo: [under('apollo.io')],
  salesloft: [under('salesloft.com')],
  clearbit: [under('clearbit.com')],
  '6sense': [under('6sense.com')],
  marketo: [under('mktorest.com'), under('marketo.com')],
  salesforce_marketing_cloud_account_engagement: [under('pardot.com')],
  gong: [under('gong.io')],
  intercom: [under('intercom.com'), under('intercom.io')],
  linear: [under('linear.app')],
  slack: [under('slack.com')],
};

/**
 * A domain and its subdomains. These hosts are never called: the check keeps mistyped or foreign URLs from being
 * stored.
 */
function under(domain: string): RegExp {
  return new RegExp(String.raw`^([a-z0-9-]+\.)*${domain.replaceAll('.', String.raw`\.`)}$`);
}
