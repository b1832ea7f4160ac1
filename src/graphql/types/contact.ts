import { associatedObject, association, type Contact, contact } from '../../domain/contact.ts';
import { findAssociations } from '../../usecases/find-contact.ts';
import { builder, tagged } from '../builder.ts';
import { BYTES_PER_UNIT, costs, countOf } from '../cost.ts';
import { enumOf, exposeFields, objectOf } from '../from-shape.ts';
import { NodeInterface } from './node.ts';
import { ProviderNameEnum } from './provider.ts';

/** A record as CRMs usually have it. Its true length is consumed when it is there. */
const RECORD_BYTES = 1_024;

export const ContactType = builder.objectRef<ContactRecord>('Contact').implement({
  description: contact.description,
  interfaces: [NodeInterface],
  directives: [
    { name: 'key', args: { fields: 'id' } },
    { name: 'key', args: { fields: 'customerId provider remoteId' } },
  ],
  fields: (t) => ({
    customerId: t.id({
      description: 'Your own id of the customer whose contact it is.',
      resolve: ({ source }) => source.customerId,
    }),
    provider: t.field({
      type: ProviderNameEnum,
      description: 'The CRM that the contact lives in.',
      resolve: ({ source }) => source.provider,
    }),
    ...exposeFields(t, contact),
    rawData: t.expose('rawData', {
      ...tagged('raw-data'),
      type: 'JSON',
      nullable: true,
      description: 'The record as the CRM sent it. It is fetched only where this field is selected.',
      ...costs({ weight: RECORD_BYTES / BYTES_PER_UNIT }),
    }),
    associations: t.field({
      type: [objectOf(association)],
      nullable: true,
      description:
        'What the contact is linked to in its CRM, asked of the CRM only where this field is selected. Null where the contact was read with the cache: links are not kept there.',
      args: {
        to: t.arg({
          type: [enumOf(associatedObject)],
          required: true,
          description: 'The kinds of record to follow. One that the CRM does not offer adds nothing.',
        }),
      },
      // All of the list is looked at for each contact.
      ...costs({ weight: ({ to }) => countOf(to), items: 5 }),
      resolve: (record, { to }, context) =>
        record.readWithCache ? null : findAssociations(context, record, to),
    }),
  }),
});

/** A contact, and how it was come by. */
export interface ContactRecord extends Contact {
  readonly readWithCache?: true;
}
