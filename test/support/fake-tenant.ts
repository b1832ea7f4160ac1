import { randomUUID } from 'node:crypto';
import { NO_BRANDING } from '../../src/domain/branding.ts';
import type { Connection } from '../../src/domain/connection.ts';
import type { ConnectionUpsert, Customer, CustomerUpsert } from '../../src/domain/customer.ts';
import { CrossbookError } from '../../src/domain/errors.ts';
import { PROVIDER_CATEGORIES } from '../../src/domain/provider-names.ts';
import { DEFAULT_ACCESS, toAllowedRecords } from '../../src/domain/record-access.ts';
import type { Tenant } from '../../src/domain/tenant.ts';
import { uuidV5 } from '../../src/lib/digest.ts';
import { slicePage } from '../../src/usecases/page.ts';
import { createFakeConnectLinks } from './fake-connect-links.ts';
import { createFakeContactCache } from './fake-contact-cache.ts';
import { createFakeCustomFields } from './fake-custom-fields.ts';
import { createFakeOAuthClients } from './fake-oauth-clients.ts';
import { createFakeSyncs } from './fake-syncs.ts';

/** Writes are tested with a database. */
const NO_WRITES: Tenant['writes'] = {
  begin: () => Promise.reject(new Error('The fake stores no writes.')),
  progress: async () => false,
  finish: async () => false,
  forget: async () => undefined,
  find: async () => undefined,
  list: async () => [],
  hash: (text) => text,
  isHashOf: (hash, text) => hash === text,
};

/** One application's storage, in memory. `customers` is the table itself, which tests can inspect. */
export function createFakeTenant(applicationId: string): FakeTenant {
  const table = new Map<string, Customer>();

  return {
    table,
    syncs: createFakeSyncs(),
    writes: NO_WRITES,
    customers: {
      async findMany(ids) {
        return ids.map((id) => table.get(id));
      },
      async list({ customerIds, email, provider, status }, { direction, size, boundary }) {
        const all = [...table.values()]
          .filter(
            (one) =>
              (customerIds?.includes(one.customerId) ?? true) &&
              (email === undefined || one.email.toLowerCase() === email) &&
              (provider === undefined && status === undefined
                ? true
                : one.connections.some(
                    (connection) =>
                      (provider ?? connection.providerName) === connection.providerName &&
                      (status ?? connection.status) === connection.status,
                  )),
          )
          .sort((a, b) => (a.customerId < b.customerId ? -1 : 1));
        const { items, ...ends } = slicePage(
          all.map((customer) => ({ remoteId: customer.customerId, customer })),
          { direction, size, boundary },
          (a, b) => (a < b ? -1 : a > b ? 1 : 0),
        );
        return { ...ends, items: items.map(({ customer }) => customer) };
      },
      async upsert(upsert) {
        const stored = table.get(upsert.customerId);
        checkVersion(upsert, stored?.version ?? 0);
        const customer = merge(applicationId, stored, upsert);
        table.set(customer.customerId, customer);
        return { customer, created: stored === undefined };
      },
    },
    connections: {
      async findMany(keys) {
        return keys.map((key) =>
          table
            .get(key.customerId)
            ?.connections.find(({ providerName }) => providerName === key.providerName),
        );
      },
      async findCustomerIds(ids) {
        const all = [...table.values()].flatMap(({ connections }) => connections);
        return ids.map((wanted) => all.find(({ id }) => id === wanted)?.customerId);
      },
    },
    credentials: {
      read: async () => undefined,
      refreshOnce: async () => undefined,
      markRefused: async () => {},
      markTried: async () => {},
    },
    contactCache: createFakeContactCache(),
    customFields: createFakeCustomFields(async ({ customerId, providerName }, record, mappings) => {
      const customer = table.get(customerId);
      const connections = customer?.connections.map((one) =>
        one.providerName === providerName
          ? {
              ...one,
              customFieldMappings: [
                ...(one.customFieldMappings ?? []).filter((other) => other.record !== record),
                ...mappings.map((mapping) => ({ record, ...mapping })),
              ],
            }
          : one,
      );
      if (!customer || !connections?.some((one) => one.providerName === providerName)) return false;
      table.set(customerId, { ...customer, connections });
      return true;
    }),
    removals: {
      async removeCustomer(customerId, expectedVersion) {
        const stored = table.get(customerId);
        if (!stored) return undefined;
        if (expectedVersion !== undefined && expectedVersion !== stored.version) {
          throw new CrossbookError('CONFLICT', `The stored version is ${stored.version}.`);
        }
        table.delete(customerId);
        return stored.connections.map((connection) => ({ connection, grant: undefined }));
      },
      async removeConnection(customerId, providerName) {
        const stored = table.get(customerId);
        const connection = stored?.connections.find((one) => one.providerName === providerName);
        if (!stored || !connection) return undefined;
        const connections = stored.connections.filter((one) => one !== connection);
        table.set(customerId, { ...stored, version: stored.version + 1, connections });
        return { connection, grant: undefined };
      },
    },
    connectLinks: createFakeConnectLinks(applicationId, table),
    oauthClients: createFakeOAuthClients(),
    webhooks: NO_WEBHOOKS,
    branding: { read: async () => NO_BRANDING, change: async () => NO_BRANDING },
    events: { list: async () => [] },
  };
}

const NO_WEBHOOKS: Tenant['webhooks'] = {
  list: async () => [],
  create: async () => undefined,
  update: async () => undefined,
  remove: async () => false,
  rotateSecret: async () => undefined,
  redeliver: async () => undefined,
  sendTest: async () => undefined,
};

function merge(
  applicationId: string,
  stored: Customer | undefined,
  upsert: CustomerUpsert,
): Customer {
  const { customerId, name, email } = upsert;
  const listed = upsert.connections ?? [];
  const kept = stored?.connections ?? [];
  const untouched = kept.filter(
    (old) => !listed.some((fresh) => fresh.providerName === old.providerName),
  );
  const written = listed.map((fresh) => {
    const old = kept.find(({ providerName }) => providerName === fresh.providerName);
    return toConnection({ applicationId, customerId }, old, fresh);
  });
  const version = (stored?.version ?? 0) + 1;
  return {
    applicationId,
    customerId,
    name,
    email,
    version,
    connections: [...untouched, ...written],
  };
}

function toConnection(
  owner: Owner,
  old: Connection | undefined,
  fresh: ConnectionUpsert,
): Connection {
  const { providerName, credentials } = fresh;
  const pick = <T>(listed: T | undefined, kept: T | undefined) =>
    (listed === undefined ? kept : listed) ?? null;
  return {
    id: old?.id ?? randomUUID(),
    ...owner,
    providerId: uuidV5(owner.applicationId, providerName),
    providerName,
    category: PROVIDER_CATEGORIES[providerName],
    instanceUrl: pick(fresh.instanceUrl, old?.instanceUrl),
    schemaMappingsConfig: pick(fresh.schemaMappingsConfig, old?.schemaMappingsConfig),
    entityMappings: pick(fresh.entityMappings, old?.entityMappings),
    connectionSyncConfig: pick(fresh.connectionSyncConfig, old?.connectionSyncConfig),
    status:
      credentials === undefined
        ? (old?.status ?? 'unauthorized')
        : credentials
          ? 'connected'
          : 'unauthorized',
    statusReason: credentials ? 'not_tried' : (old?.statusReason ?? 'no_credentials'),
    statusChangedAt: old?.statusChangedAt ?? '2026-01-31T09:30:00.000Z',
    account: null,
    grantedScopes: [],
    ...toAllowedRecords({
      records: fresh.records ?? old?.readableRecords ?? DEFAULT_ACCESS.records,
      access: fresh.access ?? (old?.writableRecords.length ? 'READ_WRITE' : 'READ'),
    }),
    credentialsVersion: (old?.credentialsVersion ?? 0) + (credentials === undefined ? 0 : 1),
  };
}

function checkVersion({ expectedVersion }: CustomerUpsert, version: number): void {
  if (expectedVersion === undefined || expectedVersion === version) return;
  throw new CrossbookError('CONFLICT', `The stored version is ${version}, not ${expectedVersion}.`);
}

export interface FakeTenant extends Tenant {
  readonly table: Map<string, Customer>;
}

interface Owner {
  readonly applicationId: string;
  readonly customerId: string;
}
