import type { Customer } from '../../domain/customer.ts';
import { builder } from '../builder.ts';
import { toContactId } from '../contact-id.ts';
import { toGlobalId } from '../global-id.ts';
import type { ContactRecord } from './contact.ts';

export const NodeInterface = builder.interfaceRef<Customer | ContactRecord>('Node').implement({
  description: 'Anything that has an id by which it can be read again.',
  resolveType: typeNameOf,
  fields: (t) => ({
    id: t.id({
      description:
        'Unique over everything that Crossbook knows, and the same always: a client can use it as the key of its cache. Opaque.',
      resolve: (record) =>
        'remoteId' in record
          ? toContactId(record)
          : toGlobalId({
              type: 'Customer',
              applicationId: record.applicationId,
              customerId: record.customerId,
            }),
    }),
  }),
});

export function typeNameOf(record: Customer | ContactRecord): 'Contact' | 'Customer' {
  return 'remoteId' in record ? 'Contact' : 'Customer';
}
