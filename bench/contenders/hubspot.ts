import { Agent } from 'undici';

/**
 * Every contender calls HubSpot the same way: batch reads by email, a hundred concurrently, over kept-alive
 * connections.
 */
export function createHubSpot({ origin, token }: HubSpotOptions): HubSpot {
  const agent = new Agent({ keepAliveTimeout: 20_000 });
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

  const post = async (body: string, path = BATCH_READ): Promise<Buffer> => {
    const answer = await agent.request({ origin, path, method: 'POST', headers, body });
    return Buffer.from(await answer.body.arrayBuffer());
  };
  return {
    post,
    async readContacts(emails, properties) {
      const batches = toBatches(emails);
      const parts = await Promise.all(batches.map((batch) => post(toBody(batch, properties))));
      return parts.flatMap((part) => (JSON.parse(part.toString()) as BatchAnswer).results);
    },
  };
}

export const BATCH_READ = '/crm/objects/2026-03/contacts/batch/read';

export function toBatches(emails: readonly string[]): readonly (readonly string[])[] {
  const batches: string[][] = [];
  for (let from = 0; from < emails.length; from += 100)
    batches.push(emails.slice(from, from + 100));
  return batches;
}

export function toBody(
  emails: readonly string[],
  properties: readonly string[] = PROPERTIES,
): string {
  return JSON.stringify({ idProperty: 'email', properties, inputs: emails.map((id) => ({ id })) });
}

/** The properties of a complete contact. */
export const PROPERTIES: readonly string[] = [
  'email',
  'work_email',
  'hs_additional_emails',
  'firstname',
  'lastname',
  'phone',
  'mobilephone',
  'fax',
  'address',
  'city',
  'state',
  'zip',
  'country',
  'lifecyclestage',
  'hubspot_owner_id',
  'associatedcompanyid',
  'notes_last_updated',
  'createdate',
  'lastmodifieddate',
  'hs_object_id',
];

export interface HubSpot {
  /** One batch read, with unparsed request and response bodies. */
  post(body: string, path?: string): Promise<Buffer>;
  readContacts(emails: readonly string[], properties?: readonly string[]): Promise<HubSpotRecord[]>;
}

export interface HubSpotRecord {
  readonly id: string;
  readonly properties: Readonly<Record<string, string | null>>;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archived: boolean;
}

export interface HubSpotOptions {
  readonly origin: string;
  readonly token: string;
}

interface BatchAnswer {
  readonly results: readonly HubSpotRecord[];
}
