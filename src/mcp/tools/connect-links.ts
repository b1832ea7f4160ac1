import * as z from 'zod';
import {
  connectLink,
  DEFAULT_LINK_SECONDS,
  MAX_LINK_SECONDS,
  MIN_LINK_SECONDS,
} from '../../domain/connect-link.ts';
import { SEARCHABLE_PROVIDERS } from '../../domain/provider-names.ts';
import { ACCESS_LEVELS, DEFAULT_ACCESS } from '../../domain/record-access.ts';
import { RECORD_TYPES } from '../../domain/records/record-type.ts';
import { field, string, url, uuid } from '../../domain/shape.ts';
import { resolveCustomerId } from '../../usecases/authorization.ts';
import { createConnectLink } from '../../usecases/connect-link.ts';
import { pickFields, toObjectSchema, toRecord } from '../schemas.ts';
import { customerArgument, defineTool, providerEnum, toOutputSchema } from './tool.ts';

const linkFields = {
  id: field(uuid, 'Id of the connect link.'),
  url: field(
    url,
    'URL for the customer, returned only here. Anyone who has it can use it: give it to the customer alone.',
  ),
  customerId: field(string, 'The application’s own id of the customer.'),
  ...pickFields(connectLink.fields, ['status', 'createdAt', 'expiresAt']),
};

export const createConnectLinkTool = defineTool({
  name: 'create_connect_link',
  title: 'Create a connect link',
  description:
    'Makes a link with which the customer connects a CRM, or connects it again, in a browser. It does not connect anything by itself, and it changes nothing in a CRM. Give the link to the customer only.',
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  needsKey: true,
  input: z.strictObject({
    providers: z
      .array(providerEnum(SEARCHABLE_PROVIDERS))
      .min(1)
      .max(SEARCHABLE_PROVIDERS.length)
      .describe('Providers that the customer may connect. With several, the customer chooses one.'),
    returnUrl: z
      .string()
      .describe(
        'URL of the application’s page to which the browser returns. Its origin must be registered for the application.',
      ),
    expiresInSeconds: z
      .int()
      .min(MIN_LINK_SECONDS)
      .max(MAX_LINK_SECONDS)
      .default(DEFAULT_LINK_SECONDS)
      .describe(
        `Lifetime of the link in seconds, from ${MIN_LINK_SECONDS} to ${MAX_LINK_SECONDS}. Default: ${DEFAULT_LINK_SECONDS}.`,
      ),
    loginUrl: z
      .string()
      .optional()
      .describe(
        'Login URL of this customer at the provider, for a link to one provider. Default: the page asks for it.',
      ),
    records: z
      .array(z.enum(RECORD_TYPES))
      .min(1)
      .default([...DEFAULT_ACCESS.records])
      .describe('Types of records to ask for. The link extends a connection that exists.'),
    access: z
      .enum(ACCESS_LEVELS)
      .default(DEFAULT_ACCESS.access)
      .describe('Access to them to ask for.'),
    ...customerArgument,
  }),
  output: toOutputSchema({ link: toObjectSchema(linkFields, connectLink.description) }),
  async run(context, { customerId, ...input }) {
    const { link, url: address } = await createConnectLink(context, {
      ...input,
      customerId: resolveCustomerId(context, customerId),
    });
    return {
      structured: { link: toRecord(linkFields, { ...link, url: address }) },
      text: `Give this link to the customer only: ${address}`,
    };
  },
});
