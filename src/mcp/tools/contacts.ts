import * as z from 'zod';
import { CrossbookError } from '../../domain/errors.ts';
import { ASSOCIATED_OBJECTS, CONTACT, contact } from '../../domain/records/contact.ts';
import { contactFilters } from '../../domain/records/contact-filter.ts';
import { PROVIDER_CALL, VALUES_PER_CONTACT } from '../../domain/records/record-search.ts';
import { resolveCustomerId } from '../../usecases/authorization.ts';
import { attemptAssociations, searchContacts } from '../../usecases/search-contacts.ts';
import { findRecord } from '../../usecases/search-records.ts';
import { toToolError } from '../results.ts';
import { errorSchema } from '../schemas.ts';
import { defineSearchTool, toRecordOf } from './search-tool.ts';
import {
  customerArgument,
  DEFAULT_PROVIDER,
  defineTool,
  providerArgument,
  READ_ONLY,
  resolveProvider,
  toOutputSchema,
  UNTRUSTED,
} from './tool.ts';

export const searchContactsTool = defineSearchTool({
  kind: CONTACT,
  filters: contactFilters,
  search: searchContacts,
  description:
    'Finds contacts of the customer by email address, email domain, phone number, name, custom field or time of modification, or lists all',
});

export const getContactTool = defineTool({
  name: 'get_contact',
  title: 'Read a contact',
  description: `Reads one contact of the customer by its id in the CRM, with the ids of the companies, deals and tickets that it is associated with. ${UNTRUSTED}`,
  annotations: READ_ONLY,
  input: z.strictObject({
    provider: providerArgument(`The CRM that has the contact. ${DEFAULT_PROVIDER}`),
    remoteId: z
      .string()
      .min(1)
      .describe('Id of the contact in the CRM, as search_contacts returns it.'),
    associations: z
      .array(z.enum(ASSOCIATED_OBJECTS))
      .max(ASSOCIATED_OBJECTS.length)
      .default([])
      .describe('Types of associated records whose ids to read. Default: none.'),
    ...customerArgument,
  }),
  output: toOutputSchema({
    // Described once, because a model reads all schemas.
    contact: { type: 'object', description: 'The contact, as search_contacts returns it.' },
    associations: {
      type: 'object',
      description: 'Ids of associated records in the CRM, one list for each requested type.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    associationErrors: {
      type: 'object',
      description: 'Requested types that could not be read: one error for each.',
      additionalProperties: errorSchema,
    },
  }),
  async run(context, { remoteId, associations, ...args }, charge) {
    await charge(PROVIDER_CALL * (1 + associations.length) + VALUES_PER_CONTACT);
    const provider = await resolveProvider(context, args);
    const target = {
      customerId: resolveCustomerId(context, args.customerId),
      provider,
      remoteId,
    };
    const found = await findRecord(context, CONTACT, target, {
      rawData: false,
      customFieldNames: 'all',
    });
    if (!found) {
      throw new CrossbookError('NOT_FOUND', `${provider} has no contact with this id.`);
    }
    const attempts = await attemptAssociations(context, [found], associations);
    const read = attempts.flatMap(({ object, lists }) =>
      lists ? [[object, lists.flat().map((one) => one.remoteId)]] : [],
    );
    const failed = attempts.flatMap((attempt) =>
      attempt.lists
        ? []
        : [{ object: attempt.object, failure: toToolError(context, attempt.failure) }],
    );
    return {
      structured: {
        contact: toRecordOf(contact, found),
        associations: Object.fromEntries(read),
        ...(failed.length > 0 && {
          associationErrors: Object.fromEntries(
            failed.map(({ object, failure }) => [object, failure.error]),
          ),
        }),
      },
      text: [
        'The contact is in structuredContent.',
        ...failed.map(({ object, failure }) => `Associations with ${object}: ${failure.text}`),
      ].join('\n'),
    };
  },
});
