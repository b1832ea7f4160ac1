import type { ConnectLink } from '../../domain/connect-link.ts';
import type { Connection } from '../../domain/connection.ts';
import type { Customer } from '../../domain/customer.ts';
import { builder } from '../builder.ts';
import { toContactId } from '../contact-id.ts';
import { toGlobalId } from '../global-id.ts';
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
