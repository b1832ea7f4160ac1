import { createHubSpot, type HubSpotRecord } from './hubspot.ts';
import { readBody, send, serve } from './serve.ts';

/** A hand-written endpoint for contacts with their companies, which makes the same calls as Crossbook. */
const [origin = '', token = ''] = process.argv.slice(2);
const hubspot = createHubSpot({ origin, token });

serve(async (request, response) => {
  const { emails } = JSON.parse(await readBody(request)) as { emails: string[] };
  const contacts = await hubspot.readContacts(emails, ['hs_object_id', 'firstname', 'lastname']);
  contacts.sort((a, b) => Number(a.id) - Number(b.id));
  const links = (await ask('/crm/associations/2026-03/contacts/companies/batch/read', {
    inputs: contacts.map(({ id }) => ({ id })),
  })) as readonly Link[];
  const ids = new Set(links.flatMap(({ to }) => to.map((one) => String(one.toObjectId))));
  const companies = (await ask('/crm/objects/2026-03/companies/batch/read', {
    properties: ['hs_object_id', 'name', 'domain'],
    inputs: [...ids].map((id) => ({ id })),
  })) as readonly HubSpotRecord[];
  const byId = new Map(companies.map((company) => [company.id, company]));
  const byContact = new Map(links.map(({ from, to }) => [from.id, to]));
  const nodes = contacts.map(({ id, properties }) => ({
    id: toId('Contact', id),
    firstName: properties['firstname'] || null,
    lastName: properties['lastname'] || null,
    companies: {
      edges: (byContact.get(id) ?? []).flatMap((link) => toEdge(link, byId) ?? []),
    },
  }));
  send(response, JSON.stringify({ data: { searchContacts: { nodes, totalCount: nodes.length } } }));
});

function toEdge(
  { toObjectId, associationTypes }: Link['to'][number],
  companies: ReadonlyMap<string, HubSpotRecord>,
) {
  const company = companies.get(String(toObjectId));
  return (
    company && {
      isPrimary: associationTypes.some(({ typeId }) => typeId === 1),
      node: {
        id: toId('Company', company.id),
        name: company.properties['name'] || null,
        domain: company.properties['domain']?.toLowerCase() || null,
      },
    }
  );
}

function toId(type: string, id: string): string {
  return Buffer.from(`["${type}","hubspot","${id}"]`).toString('base64url');
}

async function ask(path: string, body: object): Promise<readonly unknown[]> {
  const answer = await hubspot.post(JSON.stringify(body), path);
  return (JSON.parse(answer.toString()) as { results: readonly unknown[] }).results;
}

interface Link {
  readonly from: { readonly id: string };
  readonly to: readonly {
    readonly toObjectId: number;
    readonly associationTypes: readonly { readonly typeId: number }[];
  }[];
}
