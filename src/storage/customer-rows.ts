import { and, eq, type SQL, type SQLWrapper } from 'drizzle-orm';
import type { Connection } from '../domain/connection.ts';
import type { CustomFieldMapping, GivenFieldMapping } from '../domain/custom-field.ts';
import type { Customer } from '../domain/customer.ts';
import { PROVIDER_CATEGORIES, type ProviderName } from '../domain/provider-names.ts';

import { RECORD_TYPES, type RecordType } from '../domain/records/record-type.ts';
import { type CONNECTION_COLUMNS, connections, customers } from './schema.ts';

export function isCustomer({
  applicationId,
  customerId,
}: CustomerKey<SQLWrapper>): SQL | undefined {
  return and(eq(customers.applicationId, applicationId), eq(customers.customerId, customerId));
}

/** Matches the connections of a customer, or the one to a provider. */
export function isConnectionOf(
  { applicationId, customerId }: CustomerKey<SQLWrapper>,
  providerName?: ProviderName,
) {
  return and(
    eq(connections.applicationId, applicationId),
    eq(connections.customerId, customerId),
    providerName && eq(connections.providerName, providerName),
  );
}

export function toConnection(row: ConnectionRow): Connection {
  const {
    accountId: id,
    accountName: name,
    accountUrl: url,
    accountUserId: userId,
    contactFieldMappings,
    recordFieldMappings,
    ...rest
  } = row;
  return {
    ...rest,
    customFieldMappings: toMappings({ CONTACT: contactFieldMappings, ...recordFieldMappings }),
    category: PROVIDER_CATEGORIES[row.providerName],
    // Timestamps in JSON results are strings.
    statusChangedAt: new Date(row.statusChangedAt).toISOString(),
    account: id === null ? null : { id, name, url, userId },
  };
}

/** Null where there are none. */
function toMappings(
  byRecord: Readonly<Partial<Record<RecordType, readonly GivenFieldMapping[] | null>>>,
): readonly CustomFieldMapping[] | null {
  const mappings = RECORD_TYPES.flatMap((record) =>
    (byRecord[record] ?? []).map((mapping) => ({ record, ...mapping })),
  );
  return mappings.length > 0 ? mappings : null;
}

/** Connections are sorted by provider name, so that results are stable. */
export function toCustomer(
  customer: Omit<Customer, 'connections'>,
  rows: readonly ConnectionRow[],
): Customer {
  const { applicationId, customerId, name, email, version } = customer;
  const connections = rows
    .map(toConnection)
    .sort((left, right) => (left.providerName < right.providerName ? -1 : 1));
  return { applicationId, customerId, name, email, version, connections };
}

/** By values, or also by columns and placeholders of a statement. */
export interface CustomerKey<Sql = never> {
  readonly applicationId: string | Sql;
  readonly customerId: string | Sql;
}

export type ConnectionRow = Omit<
  Pick<typeof connections.$inferSelect, keyof typeof CONNECTION_COLUMNS>,
  'statusChangedAt'
> & {
  readonly statusChangedAt: Date | string;
};
