import DataLoader from 'dataloader';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionTarget } from '../domain/connection-store.ts';
import type { AssociatedObject, Association, Contact } from '../domain/contact.ts';
import type { Customer } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { ContactAccess, ContactPort } from '../domain/provider.ts';
import type { Tenant } from '../domain/tenant.ts';
import { uniteWants, type Want, type WantedFields } from '../domain/want.ts';

/** All that one request asks for at the same moment goes out together. */
export function createLoaders(tenant: Tenant) {
  const customers = new DataLoader<string, Customer | undefined>(async (ids) => {
    const found = await tenant.customers.findMany(ids);
    return ids.map((id) => found.get(id));
  });
  const connections = new DataLoader<ConnectionTarget, Connection | undefined, string>(
    async (targets) => tenant.connections.findMany(targets),
    { cacheKeyFn: ({ customerId, providerName }) => `${providerName}:${customerId}` },
  );
  const connectionOwners = new DataLoader<string, string | undefined>(async (ids) => {
    const found = await tenant.connections.findOwners(ids);
    return ids.map((id) => found.get(id));
  });
  const byClient = new Map<string, DataLoader<Question, unknown, string>>();

  return {
    customers,
    connections,
    connectionOwners,

    /** The list belongs to who asked. Whole calls go by themselves: they would gain nothing by waiting for company. */
    async lookup(client: ContactClient, emails: readonly string[], want: Want): Promise<Contact[]> {
      const { connection, port, access } = client;
      const { lookupBatch } = access;
      const findWhole = async (part: readonly string[]) => listFound(await port.findByEmails(part, want));
      const inWhole = emails.length - (emails.length % lookupBatch);
      if (inWhole === emails.length) return findWhole(emails);
      const whole = inWhole > 0 ? [findWhole(emails.slice(0, inWhole))] : [];
      const loader = loaderFor(`${connection.id}:email:${want.rawData}`, lookupBatch, (batch) =>
        port.findByEmails(batch.names, batch.want),
      );
      const rest = emails.slice(inWhole).map(async (email) => {
        const found = await loader.load({ name: email, want });
        return (found ?? EMPTY) as readonly Contact[];
      });
      return (await Promise.all([...whole, ...rest])).flat();
    },

    contact({ connection, port }: ContactClient, remoteId: string, want: Want) {
      const loader = loaderFor(`${connection.id}:id:${want.rawData}`, MAX_IDS, (batch) =>
        port.findByIds(batch.names, batch.want),
      );
      return loader.load({ name: remoteId, want }) as Promise<Contact | undefined>;
    },

    async associations({ connection, port }: ContactClient, remoteId: string, to: AssociatedObject) {
      const loader = loaderFor(`${connection.id}:${to}`, MAX_IDS, ({ names }) => {
        if (!port.findAssociations) throw new CrossbookError('NOT_IMPLEMENTED', 'No associations here.');
        return port.findAssociations(names, to);
      });
      return ((await loader.load({ name: remoteId, want: NOTHING })) ?? EMPTY) as readonly Association[];
    },
  };

  /**
   * One loader for each connection and kind of question: only these can share a call. Questions that want different
   * fields share it as well: it asks for the fields of all of them, because calls are dearer than fields.
   */
  function loaderFor(name: string, maxBatchSize: number, load: (batch: Batch) => Promise<Found>) {
    const known = byClient.get(name);
    if (known) return known;
    const loader = new DataLoader<Question, unknown, string>(
      async (questions) => {
        const names = [...new Set(questions.map((question) => question.name))];
        const found = await load({ names, want: uniteWants(questions.map(({ want }) => want)) });
        return questions.map((question) => found.get(question.name));
      },
      { maxBatchSize, cacheKeyFn: ({ name: asked, want }) => `${toKey(want)}:${asked}` },
    );
    byClient.set(name, loader);
    return loader;
  }
}

/** Nothing is left in the map: the promise that brought it would keep that for long. */
function listFound(found: Map<string, readonly Contact[]>): Contact[] {
  const contacts: Contact[] = [];
  for (const ofOne of found.values()) for (const contact of ofOne) contacts.push(contact);
  found.clear();
  return contacts;
}

function toKey({ fields }: Want): string {
  if (!fields) return '*';
  const known = keys.get(fields) ?? [...fields].sort().join();
  keys.set(fields, known);
  return known;
}

/** One search looks up a thousand emails with the same wish. */
const keys = new WeakMap<WantedFields, string>();

const EMPTY: readonly never[] = [];
const NOTHING: Want = { rawData: false };
const MAX_IDS = 1_000;

export type Loaders = ReturnType<typeof createLoaders>;

type Found = ReadonlyMap<string, unknown>;

/** About one email, or one record. */
interface Question {
  readonly name: string;
  readonly want: Want;
}

interface Batch {
  readonly names: readonly string[];
  readonly want: Want;
}

interface ContactClient {
  readonly connection: Connection;
  readonly access: ContactAccess;
  readonly port: ContactPort;
}
