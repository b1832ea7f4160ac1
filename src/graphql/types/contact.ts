import type { Contact } from '../../domain/contact.ts';
import { findAssociations } from '../../usecases/find-associations.ts';
import { builder } from '../builder.ts';
import { BYTES_PER_UNIT, costs, countOf } from '../cost.ts';
import { tagged } from '../tags.ts';
import { AddressType, AssociationType, EmailAddressType, PhoneNumberType } from './contact-details.ts';
import { AssociatedObjectEnum, LifecycleStageEnum } from './contact-enums.ts';
import { NodeInterface } from './node.ts';
import { ProviderNameEnum } from './provider.ts';

/** A record as CRMs usually have it. Its true length is consumed when it is there. */
const RECORD_BYTES = 1_024;

export const ContactType = builder.objectRef<ContactRecord>('Contact').implement({
  description: 'A person in a customer’s CRM, in the same shape whichever CRM it is.',
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
    remoteId: t.exposeID('remoteId', { description: 'The contact’s own id in the CRM.' }),
    provider: t.field({
      type: ProviderNameEnum,
      description: 'The CRM that the contact lives in.',
      resolve: ({ source }) => source.provider,
    }),
    accountId: t.exposeID('accountId', {
      nullable: true,
      description: 'The CRM’s id of the account or company that the contact belongs to.',
    }),
    ownerId: t.exposeID('ownerId', {
      nullable: true,
      description: 'The CRM’s id of the user who looks after the contact.',
    }),
    firstName: t.exposeString('firstName', { nullable: true, description: 'The first name.' }),
    lastName: t.exposeString('lastName', { nullable: true, description: 'The last name.' }),
    addresses: t.expose('addresses', {
      type: [AddressType],
      description: 'Postal addresses.',
      ...costs({ items: 2 }),
    }),
    emailAddresses: t.expose('emailAddresses', {
      type: [EmailAddressType],
      description: 'Email addresses.',
      ...costs({ items: 2 }),
    }),
    phoneNumbers: t.expose('phoneNumbers', {
      type: [PhoneNumberType],
      description: 'Phone numbers.',
      ...costs({ items: 2 }),
    }),
    lifecycleStage: t.expose('lifecycleStage', {
      type: LifecycleStageEnum,
      nullable: true,
      description: 'How far the contact has come on the way to being a customer.',
    }),
    lastActivityAt: t.expose('lastActivityAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When somebody last dealt with the contact: a call, a mail, a meeting.',
    }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the contact was created in the CRM.',
    }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the contact was last changed in the CRM.',
    }),
    lastModifiedAt: t.expose('lastModifiedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When the contact was last changed in the CRM, by a user or by the CRM itself.',
    }),
    isDeleted: t.exposeBoolean('isDeleted', { description: 'Has the contact been deleted in the CRM?' }),
    rawData: t.expose('rawData', {
      ...tagged('raw-data'),
      type: 'JSON',
      nullable: true,
      description: 'The record as the CRM sent it. It is fetched only where this field is selected.',
      ...costs({ weight: RECORD_BYTES / BYTES_PER_UNIT }),
    }),
    associations: t.field({
      type: [AssociationType],
      nullable: true,
      description:
        'What the contact is linked to in its CRM, asked of the CRM only where this field is selected. Null where the contact was read with the cache: links are not kept there.',
      args: {
        to: t.arg({
          type: [AssociatedObjectEnum],
          required: true,
          description: 'The kinds of record to follow. One that the CRM does not offer adds nothing.',
        }),
      },
      // All of the list is looked at for each contact.
      ...costs({ weight: ({ to }) => countOf(to), items: 5 }),
      resolve: (contact, { to }, context) =>
        contact.readWithCache ? null : findAssociations(context, contact, to),
    }),
  }),
});

/** A contact, and how it was come by. */
export interface ContactRecord extends Contact {
  readonly readWithCache?: true;
}
