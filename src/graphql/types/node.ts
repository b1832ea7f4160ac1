import { costs } from '@crossbook/executor';
import type { GraphQLResolveInfo } from 'graphql';
import type { ConnectLink } from '../../domain/connect-link.ts';
import type { Connection } from '../../domain/connection.ts';
import type { Customer } from '../../domain/customer.ts';
import { CrossbookError } from '../../domain/errors.ts';
import type { ProviderName } from '../../domain/provider-names.ts';
import { RECORDS } from '../../domain/records/catalogue.ts';
import type { Company } from '../../domain/records/company.ts';
import type { Deal } from '../../domain/records/deal.ts';
import type { CrmRecord, RecordKind } from '../../domain/records/record.ts';
import { type FieldSelection, PROVIDER_CALL } from '../../domain/records/record-search.ts';
import { isUuid } from '../../lib/text.ts';
import type { RequestContext } from '../../request/context.ts';
import { findConnectLink } from '../../usecases/connect-link.ts';
import { findConnection, findCustomer } from '../../usecases/find-customer.ts';
import { findRecord } from '../../usecases/search-records.ts';
import { builder } from '../define/builder.ts';
import { recordCosts } from '../define/cost.ts';
import { selectFields, selectsConfigurations } from '../define/field-selection.ts';
import { type RecordName, readGlobalId, recordNameOf, recordTypeOf } from '../define/global-id.ts';
import type { ContactRecord } from './contact-record.ts';

/** Each type documents its own id. */
export const NodeInterface = builder.interfaceRef<NodeRecord>('Node').implement({
  description: 'An object with a global id, by which it can be fetched again.',
  resolveType: typeNameOf,
  fields: (t) => ({ id: t.id(NODE_ID) }),
});

export const NODE_ID = {
  description:
    'Global id: opaque, stable and unique over all types, so that clients can use it as a cache key.',
} as const;

export function typeNameOf(
  record: NodeRecord,
): RecordName | 'Customer' | 'ConnectedProvider' | 'ConnectLink' {
  if ('remoteId' in record) return recordNameOf(record.source);
  if ('returnUrl' in record) return 'ConnectLink';
  return 'providerName' in record ? 'ConnectedProvider' : 'Customer';
}

export type NodeRecord = Customer | ContactRecord | Company | Deal | Connection | ConnectLink;

const MAX_IDS = 1_000;

builder.queryField('node', (t) =>
  t.field({
    type: NodeInterface,
    nullable: true,
    description: 'The object with this global id. Null if it does not exist in your application.',
    args: { id: t.arg.id({ required: true, description: 'Global id.' }) },
    ...costs({ weight: PROVIDER_CALL }),
    resolve: (_root, { id }, context, info) => readRecord(context, id, selectRecord(info)),
  }),
);

builder.queryField('nodes', (t) =>
  t.field({
    type: [NodeInterface],
    nullable: { list: false, items: true },
    description:
      'The objects with these global ids, in the same order, at most 1,000. They are read in batches.',
    args: { ids: t.arg.idList({ required: true, description: 'Global ids.' }) },
    ...costs(recordCosts(({ ids }) => ids)),
    resolve(_root, { ids }, context, info): readonly Promise<NodeRecord | null>[] {
      if (ids.length > MAX_IDS) {
        throw new CrossbookError(
          'BAD_REQUEST',
          `\`nodes\` takes at most ${MAX_IDS} ids, but got ${ids.length}.`,
        );
      }
      const selection = selectRecord(info);
      return ids.map((id) => readRecord(context, id, selection));
    },
  }),
);

/** What is selected of a record whose type is not known yet. */
export function selectRecord(info: GraphQLResolveInfo): RecordSelection {
  return {
    fields: (kind) => selectFields(kind, info, []),
    withConfigurations: selectsConfigurations(info, [], ['connections']),
  };
}

export interface RecordSelection {
  /** What is selected if it is a record of this type. */
  fields(kind: RecordKind<CrmRecord>): FieldSelection;
  /** Whether configurations of connections are selected. */
  readonly withConfigurations: boolean;
}

/** Loads the record of a global id. Records of other applications are null, without a hint that they exist. */
export async function readRecord(
  context: RequestContext,
  id: string,
  selection: RecordSelection,
): Promise<NodeRecord | null> {
  const { withConfigurations } = selection;
  const { application } = context.requireCaller();
  // Connections and links have the same id in both APIs.
  if (isUuid(id)) {
    return (
      (await nullIfNotFound(findConnection(context, id, withConfigurations))) ??
      nullIfNotFound(findConnectLink(context, { id }))
    );
  }
  const key = readGlobalId(id);
  if (key?.applicationId !== application.id) return null;
  return key.type === 'Customer'
    ? nullIfNotFound(findCustomer(context, key.customerId, withConfigurations))
    : readCrmRecord(context, key, selection);
}

/** Loads the record of a CRM. */
export function readCrmRecord(
  context: RequestContext,
  key: CrmRecordKey,
  { fields }: RecordSelection,
): Promise<NodeRecord | null> {
  const kind: RecordKind<ContactRecord | Company | Deal> = RECORDS[recordTypeOf(key.type)];
  return nullIfNotFound<NodeRecord>(findRecord(context, kind, key, fields(kind)));
}

interface CrmRecordKey {
  readonly type: RecordName;
  readonly customerId: string;
  readonly provider: ProviderName;
  readonly remoteId: string;
}

/** In a list of references an unknown one is null and no error. */
export async function nullIfNotFound<T>(found: Promise<T | undefined>): Promise<T | null> {
  try {
    return (await found) ?? null;
  } catch (error) {
    if (error instanceof CrossbookError && error.code === 'NOT_FOUND') return null;
    throw error;
  }
}
