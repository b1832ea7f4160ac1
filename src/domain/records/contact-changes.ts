import { withNotes } from '../../provider-texts.ts';
import { id, listOf, nullable, string } from '../shape.ts';
import { address, CONTACT, emailAddress, lifecycleStage, phoneNumber } from './contact.ts';
import { declareWritable } from './writable.ts';

/** What can be written of a contact. An adapter says of each field how its CRM takes it, or that it does not. */
const writableFields = {
  accountId: nullable(
    id,
    withNotes('Id, in the CRM, of the contact’s account.', 'contactChanges.accountId'),
  ),
  ownerId: nullable(id, 'Id, in the CRM, of the user who owns the contact.', { example: '31' }),
  firstName: nullable(string, 'First name.', { example: 'Ada' }),
  lastName: nullable(string, 'Last name.', { example: 'Lovelace' }),
  addresses: nullable(
    listOf(address),
    'Postal addresses, one of each type. They replace all that the contact has.',
    { most: 10 },
  ),
  emailAddresses: nullable(
    listOf(emailAddress),
    'Email addresses, one of each type. They replace those that the contact has. In an upsert, the primary address is `email`.',
    { most: 10 },
  ),
  phoneNumbers: nullable(
    listOf(phoneNumber),
    withNotes(
      'Phone numbers, one of each type. They replace all that the contact has.',
      'contactChanges.phoneNumbers',
    ),
    { most: 10 },
  ),
  lifecycleStage: nullable(
    lifecycleStage,
    withNotes('Lifecycle stage.', 'contactChanges.lifecycleStage'),
  ),
};

export type ContactChangeField = keyof typeof writableFields;

export const WRITABLE_CONTACTS = declareWritable(CONTACT, {
  fields: writableFields,
  key: {
    email: {
      type: string,
      description:
        'Email address by which the contact is found, primary or additional. It becomes the primary address of a new contact, and is not changed on an existing one.',
      example: 'ada@example.com',
    },
  },
  exampleChanges: { first_name: 'Ada', custom_fields: { favoriteColor: 'violet' } },
});
