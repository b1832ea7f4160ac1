import { CONTACTS_PER_EMAIL, EMAILS_PER_CALL, PROVIDER_CALL } from '../../domain/contact-search.ts';
import type { ProviderName } from '../../domain/provider-names.ts';
import { findContactsByEmail } from '../../usecases/search-contacts.ts';
import { builder } from '../builder.ts';
import { costs } from '../cost.ts';
import { selectContactFields } from '../field-selection.ts';
import { ContactType } from './contact.ts';
import { ProviderNameEnum } from './provider.ts';

/** For gateways alone: clients search. An email may name several contacts, so that it is no key of one. */
builder.objectRef<EmailReference>('ContactsByEmail').implement({
  description:
    'The contacts that have one email address in one of a customer’s CRMs. Other subgraphs refer to it where they know a person by an email.',
  directives: [{ name: 'key', args: { fields: 'customerId provider email' } }],
  fields: (t) => ({
    customerId: t.id({
      description: 'Your own id of the customer.',
      resolve: ({ byEmail }) => byEmail.customerId,
    }),
    provider: t.field({
      type: ProviderNameEnum,
      description: 'The CRM to look in.',
      resolve: ({ byEmail }) => byEmail.provider,
    }),
    email: t.string({
      description: 'The email address, as the reference has it. It is compared as `ContactFilter.email` is.',
      resolve: ({ byEmail }) => byEmail.email,
    }),
    contacts: t.field({
      type: [ContactType],
      description:
        'The contacts, in the order of their ids in the CRM; none where no contact has the address. A hundred references to one CRM are one call to it.',
      args: { first: t.arg.int({ description: 'How many of them at most: 0 to 1,000. Default 100.' }) },
      ...costs({
        weight: 1 + PROVIDER_CALL / EMAILS_PER_CALL,
        items: ({ first }) => (typeof first === 'number' ? first : CONTACTS_PER_EMAIL),
      }),
      resolve: ({ byEmail }, { first }, context, info) =>
        findContactsByEmail(context, { ...byEmail, first }, selectContactFields(info, [])),
    }),
  }),
});

/** What a reference by email says: the entity is no more than that. */
export interface EmailReference {
  readonly byEmail: {
    readonly customerId: string;
    readonly provider: ProviderName;
    readonly email: string;
  };
}
