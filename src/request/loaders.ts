import DataLoader from 'dataloader';
import type { Connection } from '../domain/connection.ts';
import type { ConnectionTarget } from '../domain/connection-store.ts';
import type { AssociatedObject, Association, Contact } from '../domain/contact.ts';
import type { Customer } from '../domain/customer.ts';
import { CrossbookError } from '../domain/errors.ts';
import { type FieldSelection, mergeSelections } from '../domain/field-selection.ts';
import type { ContactPort } from '../domain/provider.ts';
import type { Tenant } from '../domain/tenant.ts';
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
    invalidateCustomer(id: string): void {
      customers?.clear(id);
    },

    /** The list belongs to who asked. */
    lookup: (client: LookupClient, asked: readonly string[], selection: FieldSelection) =>
      emails.find(client, asked, selection),

    contact({ connection, port }: LoaderClient, remoteId: string, selection: FieldSelection) {
      const loader = loaderFor(`${connection.id}:id:${selection.rawData}`, MAX_IDS, (batch) =>
        port.findByIds(batch.names, batch.selection),
      );
      return loader.load({ name: remoteId, selection }) as Promise<Contact | undefined>;
    },

    async associations({ connection, port }: LoaderClient, remoteId: string, to: AssociatedObject) {
      const loader = loaderFor(`${connection.id}:${to}`, MAX_IDS, ({ names }) => {
        if (!port.findAssociations) throw new CrossbookError('NOT_IMPLEMENTED', 'No associations here.');
        return port.findAssociations(names, to);
      });
      return ((await loader.load({ name: remoteId, selection: NOTHING })) ?? EMPTY) as readonly Association[];
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
        const found = await load({
          names,
          selection: mergeSelections(questions.map(({ selection }) => selection)),
        });
        return questions.map((question) => found.get(question.name));
      },
      {
        maxBatchSize,
        cacheKeyFn: ({ name: asked, selection }) => `${nameFields(selection.fields)}:${asked}`,
      },
    );
    byClient.set(name, loader);
    return loader;
  }
}

const EMPTY: readonly never[] = [];
const NOTHING: FieldSelection = { rawData: false };
const MAX_IDS = 1_000;

export type Loaders = ReturnType<typeof createLoaders>;

type Found = ReadonlyMap<string, unknown>;

/** About one record. */
interface Question {
  readonly name: string;
  readonly selection: FieldSelection;
}

interface Batch {
  readonly names: readonly string[];
  readonly selection: FieldSelection;
}

interface LoaderClient {
  readonly connection: Connection;
  readonly port: ContactPort;
}
