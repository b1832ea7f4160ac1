import type { Facts } from '../corpus/line.ts';
import { createJudge, type Judge } from './judge.ts';
import { type Around, openTarget, type Settings, type Target, upsert } from './open-target.ts';
import { send, toGraphQL } from './send.ts';

/** A target with the data that the corpus uses, and a judge that knows its secrets. */
export async function openPrepared(settings?: Settings, around?: Around): Promise<Prepared> {
  const target = await openTarget(settings, around);
  return { target, facts: await prepare(target), judge: createJudge(target.secrets) };
}

/** Stores what the corpus needs: a customer with the maximum configuration of one upsert, and ids of contacts. */
async function prepare({ url, callers, crms }: Target): Promise<Facts> {
  await upsert(url, callers.key, 'stuffed', PROVIDERS.slice(0, 12).map(stuff));
  const hubspot = crms.hubspot.connect(await crms.hubspot.demo());
  await upsert(url, callers.key, 'stuffed', [hubspot]);
  const query = '{searchContacts(filter:{emailDomain:"bigco.example"},first:1000){nodes{id}}}';
  const page = await send(url, toGraphQL({ query }, callers.key));
  const found: { nodes: { id: string }[] } | null = JSON.parse(page.text).data?.searchContacts;
  if (!found)
    throw new Error(`The contacts of the demo were not found: ${page.text.slice(0, 500)}`);
  // The sandbox creates its people on first use, in this process.
  await send(url, toGraphQL({ query }, { ...callers.key, 'x-provider-name': 'salesforce' }));
  const own = await send(url, toGraphQL({ query: '{customer{id}}' }, callers.neighbour));
  return { ids: found.nodes.map(({ id }) => id), foreignId: JSON.parse(own.text).data.customer.id };
}

function stuff(providerName: string): object {
  const field = (n: number) => ({
    schema_field: `field ${n} ${'x'.repeat(60)}`,
    mapped_field: 'y'.repeat(60),
  });
  const standard_objects = [
    { object: 'contact', field_mappings: Array.from({ length: 320 }, (_, n) => field(n)) },
  ];
  return { provider_name: providerName, schema_mappings_config: { standard_objects } };
}

/** The names in the REST API of the product: a harness that is compiled apart cannot import them. */
export const PROVIDERS = [
  'hubspot',
  'salesforce',
  'pipedrive',
  'slack',
  'outreach',
  'apollo',
  'gong',
  'linear',
  'intercom',
  'capsule',
  'clearbit',
  'marketo',
  'salesloft',
  'zoho_crm',
  'zendesk_sell',
];

export interface Prepared {
  readonly target: Target;
  readonly facts: Facts;
  readonly judge: Judge;
}
