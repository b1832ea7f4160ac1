import type { ConnectLink } from '../../domain/connect-link.ts';
import type { Connection } from '../../domain/connection.ts';
import { PROVIDER_CALL } from '../../domain/contact-search.ts';
import type { Customer } from '../../domain/customer.ts';
import { CrossbookError } from '../../domain/errors.ts';
import { builder } from '../builder.ts';
import { costs, recordCosts } from '../cost.ts';
import { selectContactFields } from '../field-selection.ts';
import { toContactId, toGlobalId } from '../global-id.ts';
import { readRecord } from '../read-record.ts';
import type { ContactRecord } from './contact.ts';

export const NodeInterface = builder.interfaceRef<NodeRecord>('Node').implement({
  description: 'Anything that has an id by which it can be read again.',
  resolveType: typeNameOf,
  fields: (t) => ({
    id: t.id({
      description:
        'Unique over everything that Crossbook knows, and the same always: a client can use it as the key of its cache. Opaque.',
      resolve(record) {
        if ('remoteId' in record) return toContactId(record);
        if ('returnUrl' in record || 'providerName' in record) return record.id;
        const { applicationId, customerId } = record;
        return toGlobalId({ type: 'Customer', applicationId, customerId });
      },
    }),
  }),
});

export function typeNameOf(record: NodeRecord): 'Contact' | 'Customer' | 'ConnectedProvider' | 'ConnectLink' {
  if ('remoteId' in record) return 'Contact';
  if ('returnUrl' in record) return 'ConnectLink';
  return 'providerName' in record ? 'ConnectedProvider' : 'Customer';
}

export type NodeRecord = Customer | ContactRecord | Connection | ConnectLink;

const MAX_IDS = 1_000;

builder.queryField('node', (t) =>
  t.field({
    type: NodeInterface,
    nullable: true,
    description: 'Whatever has this id. Null where there is nothing, or nothing of yours.',
    args: { id: t.arg.id({ required: true, description: 'The id, as it was given.' }) },
    ...costs({ weight: PROVIDER_CALL }),
    resolve: (_root, { id }, context, info) => readRecord(context, id, selectContactFields(info, [])),
  }),
);

builder.queryField('nodes', (t) =>
  t.field({
    type: [NodeInterface],
    nullable: { list: false, items: true },
    description: 'Whatever has these ids, in their order: up to 1,000, read in few calls.',
    args: { ids: t.arg.idList({ required: true, description: 'The ids, as they were given.' }) },
    ...costs(recordCosts(({ ids }) => ids)),
    resolve(_root, { ids }, context, info): readonly Promise<NodeRecord | null>[] {
      if (ids.length > MAX_IDS) {
        throw new CrossbookError(
          'BAD_REQUEST',
          `\`nodes\` takes at most ${MAX_IDS} ids; these are ${ids.length}.`,
        );
      }
      const selection = selectContactFields(info, []);
      return ids.map((id) => readRecord(context, id, selection));
    },
  }),
);
