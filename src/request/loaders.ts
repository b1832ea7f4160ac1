import DataLoader from 'dataloader';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionTarget } from '../domain/connection-store.ts';
import type { AssociatedObject, Association, Contact } from '../domain/contact.ts';
import type { Customer } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { ContactAccess, ContactPort, Want } from '../domain/provider.ts';
import type { Tenant } from '../domain/tenant.ts';

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
  const byClient = new Map<string, DataLoader<string, unknown>>();

  return {
    customers,
    connections,

    lookup({ connection, port, access }: ContactClient, email: string, want: Want) {
      return loaderFor(`${connection.id}:email:${want.rawData}`, access.lookupBatch, (emails) =>
        inOrder(emails, port.findByEmails(emails, { rawData: want.rawData }), EMPTY),
      ).load(email) as Promise<readonly Contact[]>;
    },

    contact({ connection, port }: ContactClient, remoteId: string, want: Want) {
      return loaderFor(`${connection.id}:id:${want.rawData}`, MAX_IDS, (ids) =>
        inOrder(ids, port.findByIds(ids, { rawData: want.rawData }), undefined),
      ).load(remoteId) as Promise<Contact | undefined>;
    },

    associations({ connection, port }: ContactClient, remoteId: string, to: AssociatedObject) {
      return loaderFor(`${connection.id}:${to}`, MAX_IDS, (ids) => {
        if (!port.findAssociations) throw new CrossbookError('NOT_IMPLEMENTED', 'No associations here.');
        return inOrder(ids, port.findAssociations(ids, to), EMPTY);
      }).load(remoteId) as Promise<readonly Association[]>;
    },
  };

  /** One loader for each connection and kind of question: only these can share a call. */
  function loaderFor(
    name: string,
    maxBatchSize: number,
    load: (keys: readonly string[]) => Promise<unknown[]>,
  ) {
    const known = byClient.get(name);
    if (known) return known;
    const loader = new DataLoader<string, unknown>(load, { maxBatchSize });
    byClient.set(name, loader);
    return loader;
  }
}

async function inOrder<T>(
  keys: readonly string[],
  found: Promise<ReadonlyMap<string, T>>,
  missing: T | undefined,
) {
  const byKey = await found;
  return keys.map((key) => byKey.get(key) ?? missing);
}

const EMPTY: readonly never[] = [];
const MAX_IDS = 1_000;

export type Loaders = ReturnType<typeof createLoaders>;

interface ContactClient {
  readonly connection: Connection;
  readonly access: ContactAccess;
  readonly port: ContactPort;
}
