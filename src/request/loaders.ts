import DataLoader from 'dataloader';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionTarget } from '../domain/connection-store.ts';
import type { AssociatedObject, Association, Contact } from '../domain/contact.ts';
import type { Customer } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import type { ContactPort } from '../domain/provider.ts';
import type { Tenant } from '../domain/tenant.ts';
import { uniteWants, type Want } from '../domain/want.ts';
import { EmailLookups, type LookupClient, nameFields } from './email-lookups.ts';

/** All that one request asks for at the same moment goes out together. */
export function createLoaders(tenant: Tenant) {
  let customers: DataLoader<string, Customer | undefined> | undefined;
  let connections: DataLoader<ConnectionTarget, Connection | undefined> | undefined;
  let connectionOwners: DataLoader<string, string | undefined> | undefined;
  const emails = new EmailLookups();
  const byClient = new Map<string, DataLoader<Question, unknown, string>>();

  return {
    customer(id: string): Promise<Customer | undefined> {
      customers ??= new DataLoader(async (ids) => {
        const found = await tenant.customers.findMany(ids);
        return ids.map((asked) => found.get(asked));
      });
      return customers.load(id);
    },

    connection(target: ConnectionTarget): Promise<Connection | undefined> {
      // Who asks remembers them for a while: what was read long ago must not come back to them as if it were new.
      connections ??= new DataLoader(async (targets) => tenant.connections.findMany(targets), {
        cache: false,
      });
      return connections.load(target);
    },

    connectionOwner(connectionId: string): Promise<string | undefined> {
      connectionOwners ??= new DataLoader(async (ids) => {
        const found = await tenant.connections.findOwners(ids);
        return ids.map((asked) => found.get(asked));
      });
      return connectionOwners.load(connectionId);
    },

    /** It has changed. */
    forgetCustomer(id: string): void {
      customers?.clear(id);
    },

    /** The list belongs to who asked. */
    lookup: (client: LookupClient, asked: readonly string[], want: Want) => emails.find(client, asked, want),

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
      { maxBatchSize, cacheKeyFn: ({ name: asked, want }) => `${nameFields(want.fields)}:${asked}` },
    );
    byClient.set(name, loader);
    return loader;
  }
}

const EMPTY: readonly never[] = [];
const NOTHING: Want = { rawData: false };
const MAX_IDS = 1_000;

export type Loaders = ReturnType<typeof createLoaders>;

type Found = ReadonlyMap<string, unknown>;

/** About one record. */
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
  readonly port: ContactPort;
}
