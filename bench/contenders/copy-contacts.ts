import pg from 'pg';
import { Agent } from 'undici';
import { startWorker } from '../support/worker.ts';
import { type HubSpotRecord, PROPERTIES } from './hubspot.ts';
import { toContact } from './to-contact.ts';

/**
 * A hand-written copy of all contacts of HubSpot to an empty table, with the columns of a sync: undici, parse, map, COPY, one
 * transaction for each page. The next page is read while one is written.
 */
const agent = new Agent({ keepAliveTimeout: 20_000 });

startWorker({}, { copy });

async function copy({ origin, token, databaseUrl }: CopyWanted): Promise<Copied> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(`drop table if exists floor_contacts; create table floor_contacts (
    application_id uuid not null, provider_name text not null, customer_id text not null,
    id text collate "C" not null, is_deleted boolean not null, synced_at timestamptz not null,
    account_id text, owner_id text, first_name text, last_name text, addresses jsonb, email_addresses jsonb,
    phone_numbers jsonb, lifecycle_stage text, last_activity_at timestamptz, created_at timestamptz,
    updated_at timestamptz, last_modified_at timestamptz, custom_fields jsonb, raw_data jsonb,
    primary key (application_id, provider_name, customer_id, id))`);
  const read = async (after: string | undefined): Promise<Page> => {
    const query = new URLSearchParams({ limit: '100', properties: PROPERTIES.join(',') });
    if (after !== undefined) query.set('after', after);
    const answer = await agent.request({
      origin,
      path: `/crm/objects/2026-03/contacts?${query}`,
      method: 'GET',
      headers: { authorization: `Bearer ${token}` },
    });
    return JSON.parse(await answer.body.text()) as Page;
  };
  const started = performance.now();
  let rows = 0;
  let reading: Promise<Page> | undefined = read(undefined);
  while (reading) {
    const { results, paging } = (await reading) as Page;
    const after: string | undefined = paging?.next?.after;
    reading = after === undefined ? undefined : read(after);
    const syncedAt = new Date().toISOString();
    const text = results.map((record) => toLine(record, syncedAt)).join('');
    await client.query('begin');
    await copyText(client, text);
    await client.query('commit');
    rows += results.length;
  }
  const ms = performance.now() - started;
  await client.end();
  return { rows, ms };
}

function toLine(record: HubSpotRecord, syncedAt: string): string {
  const contact = toContact(record);
  const values = [
    APPLICATION,
    'hubspot',
    'floor',
    record.id,
    'f',
    syncedAt,
    ...TEXTS.slice(0, 4).map((name) => contact[name]),
    ...['addresses', 'emailAddresses', 'phoneNumbers'].map((name) => JSON.stringify(contact[name])),
    ...TEXTS.slice(4).map((name) => contact[name]),
    null,
    JSON.stringify(record.properties),
  ];
  return `${values.map(toField).join('\t')}\n`;
}

const TEXTS = [
  'accountId',
  'ownerId',
  'firstName',
  'lastName',
  'lifecycleStage',
  'lastActivityAt',
  'createdAt',
  'updatedAt',
  'lastModifiedAt',
];

function toField(value: unknown): string {
  if (value === null || value === undefined) return '\\N';
  return String(value).replace(
    /[\\\t\n\r]/g,
    (one) => ({ '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' })[one] ?? one,
  );
}

/** What the driver needs of a COPY, for which it has no method. */
function copyText(client: pg.Client, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    client.query({
      submit: (connection: CopyConnection) => connection.query('copy floor_contacts from stdin'),
      handleCopyInResponse(connection: CopyConnection) {
        connection.sendCopyFromChunk(Buffer.from(text));
        connection.endCopyFrom();
      },
      handleCommandComplete: () => {},
      handleReadyForQuery: () => resolve(),
      handleError: reject,
    } as unknown as pg.Submittable);
  });
}

const APPLICATION = 'c7055b00-de30-4000-8000-000000000001';

export interface CopyWanted {
  readonly origin: string;
  readonly token: string;
  readonly databaseUrl: string;
}

export interface Copied {
  readonly rows: number;
  readonly ms: number;
}

interface Page {
  readonly results: readonly HubSpotRecord[];
  readonly paging?: { readonly next?: { readonly after: string } };
}

interface CopyConnection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}
