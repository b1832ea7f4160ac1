import * as z from 'zod';
import { CrossbookError } from '../../domain/errors.ts';
import { type ProviderName, providerName } from '../../domain/provider-names.ts';
import {
  ASSOCIATED_OBJECTS,
  CONTACT,
  type Contact,
  contact,
} from '../../domain/records/contact.ts';
import { contactFilters, type GivenContactFilter } from '../../domain/records/contact-filter.ts';
import {
  PROVIDER_CALL,
  VALUES_PER_CONTACT,
  wholeSearchCost,
} from '../../domain/records/record-search.ts';
import { field, moment, nullable, string } from '../../domain/shape.ts';
import type { RequestContext } from '../../request/context.ts';
import { readProviderHeader, resolveCustomerId } from '../../usecases/authorization.ts';
import { attemptAssociations, searchContacts } from '../../usecases/search-contacts.ts';
import { findRecord } from '../../usecases/search-records.ts';
import { type ToolError, toToolError } from '../results.ts';
import {
  errorSchema,
  type JsonSchema,
  toObjectSchema,
  toOptionalInput,
  toRecord,
} from '../schemas.ts';
import {
  customerArgument,
  DEFAULT_PROVIDER,
  defineTool,
  listSearchable,
  providerArgument,
  READ_ONLY,
  resolveProvider,
  type ToolResult,
  toOutputSchema,
  UNTRUSTED,
} from './tool.ts';

const MAX_CONTACTS = 50;
const DEFAULT_CONTACTS = 10;

const searchInput = z.strictObject({
  filter: toOptionalInput(contactFilters.input),
  provider: providerArgument(
    'The CRM to search. Default: all CRMs of the customer that can be searched.',
  ),
  first: z
    .int()
    .min(0)
    .max(MAX_CONTACTS)
    .default(DEFAULT_CONTACTS)
    .describe(`Contacts from each CRM, at most ${MAX_CONTACTS}. Default: ${DEFAULT_CONTACTS}.`),
  after: z
    .string()
    .optional()
    .describe(
      'To continue: `next` of an earlier result, unchanged, with its provider and the same filter.',
    ),
  ...customerArgument,
});

const contactSchema = withProperties(toObjectSchema(contact.fields, contact.description), {
  customFields: {
    type: 'object',
    description:
      'Custom fields of the application by name, as list_contact_fields describes them. Null: the CRM has no value, or one that does not fit the type.',
  },
});

/** Custom fields are absent if the application has declared none. */
function toContactRecord(one: Contact): object {
  const { customFields } = one;
  return { ...toRecord(contact.fields, one), ...(customFields && { customFields }) };
}

const resultFields = {
  provider: field(providerName, 'The CRM.'),
  next: nullable(
    string,
    'Pass it as `after`, with this provider, for more contacts. Null: there are no more.',
  ),
  modifiedUntil: nullable(
    moment,
    'End of the period of a search by modifiedSince, for the next one. Null for other filters.',
  ),
  fetchedAt: nullable(moment, 'Time of the request to the CRM.'),
};

export const searchContactsTool = defineTool({
  name: 'search_contacts',
  title: 'Search contacts',
  description: `Finds contacts of the customer by email address, email domain, phone number, name, custom field or time of modification, or lists all: in all of the customer’s CRMs, or in one. Each CRM has its own result, and its own error if it fails. ${UNTRUSTED}`,
  annotations: READ_ONLY,
  input: searchInput,
  output: toOutputSchema({
    results: {
      type: 'array',
      description: 'One result for each CRM that was searched.',
      items: withProperties(toObjectSchema(resultFields, 'The contacts of one CRM.'), {
        contacts: {
          type: 'array',
          description: 'Contacts, sorted by id; none where the CRM failed.',
          items: contactSchema,
        },
        error: errorSchema,
      }),
    },
  }),
  async run(context, search, charge) {
    // A wrong filter is an error of the whole call, not of each CRM.
    const filter: GivenContactFilter = search.filter;
    contactFilters.read(filter);
    const named = search.provider ?? readProviderHeader(context);
    if (named === undefined && search.after !== undefined) {
      throw new CrossbookError(
        'BAD_REQUEST',
        'A cursor belongs to one CRM: pass the provider together with "after".',
      );
    }
    const providers =
      named === undefined ? await listSearchable(context, search.customerId) : [named];
    await charge(
      providers.length * wholeSearchCost(contactFilters.countLookUps(filter), search.first),
    );
    if (named !== undefined) {
      const found = await searchOne(context, search, named);
      return toSearchResult([found]);
    }
    const found = await Promise.all(
      providers.map((provider) =>
        searchOne(context, search, provider).catch((thrown: unknown) => ({
          result: { provider, contacts: [], next: null, modifiedUntil: null, fetchedAt: null },
          failure: toToolError(context, thrown),
        })),
      ),
    );
    return toSearchResult(found);
  },
});

function withProperties(
  schema: JsonSchema,
  added: Readonly<Record<string, JsonSchema>>,
): JsonSchema {
  return { ...schema, properties: { ...(schema['properties'] as object), ...added } };
}

async function searchOne(
  context: RequestContext,
  { filter, first, after, customerId }: Search,
  provider: ProviderName,
): Promise<Found> {
  const page = await searchContacts(context, {
    customerId,
    provider,
    filter,
    page: { size: first, cursor: after, direction: 'forward' },
    readFromCache: false,
    selection: {
      rawData: false,
      customFieldNames: 'all',
      totalCount: false,
      needsPreviousPage: false,
    },
  });
  return {
    result: {
      provider,
      contacts: page.items.map(toContactRecord),
      next: page.hasNextPage ? page.cursorOf(page.items.at(-1), 'forward') : null,
      modifiedUntil: page.modifiedUntil,
      fetchedAt: page.fetchedAt,
    },
  };
}

function toSearchResult(found: readonly Found[]): ToolResult {
  const results = found.map(({ result, failure }) => ({ ...result, error: failure?.error }));
  const lines = found.map(({ result: { provider, contacts, next }, failure }) => {
    if (failure) return `${provider} failed. ${failure.text}`;
    const more = next === null ? '' : '; there are more';
    return `${provider}: ${countContacts(contacts.length)} in structuredContent${more}.`;
  });
  return {
    structured: { results },
    text: lines.join('\n') || 'The customer has no CRM that can be searched.',
    isError: found.length > 0 && found.every(({ failure }) => failure !== undefined),
  };
}

function countContacts(count: number): string {
  return count === 1 ? '1 contact' : `${count} contacts`;
}

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
  async run(context, { remoteId, associations, ...given }, charge) {
    await charge(PROVIDER_CALL * (1 + associations.length) + VALUES_PER_CONTACT);
    const provider = await resolveProvider(context, given);
    const target = {
      customerId: resolveCustomerId(context, given.customerId),
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
        contact: toContactRecord(found),
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

type Search = z.output<typeof searchInput>;

interface Found {
  readonly result: {
    readonly provider: ProviderName;
    /** Empty if the CRM failed. */
    readonly contacts: readonly object[];
    readonly next: string | null;
    readonly modifiedUntil: string | null;
    readonly fetchedAt: string | null;
  };
  readonly failure?: ToolError;
}
