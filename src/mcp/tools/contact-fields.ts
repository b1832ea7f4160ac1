import * as z from 'zod';
import { PROVIDER_CALL } from '../../domain/contact-search.ts';
import { contactFieldMapping } from '../../domain/own-field.ts';
import { mappingProblem, ownField, providerField } from '../../domain/own-fields.ts';
import type { Fields } from '../../domain/shape.ts';
import { resolveCustomerId } from '../../usecases/authorization.ts';
import { readFieldMappings } from '../../usecases/map-own-fields.ts';
import { readMappingProblems } from '../../usecases/mapping-problems.ts';
import { readProviderFields } from '../../usecases/provider-fields.ts';
import { type JsonSchema, pickFields, toObjectSchema, toRecord } from '../schemas.ts';
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

const MAX_FIELDS = 500;
const DEFAULT_FIELDS = 100;

const ownFieldFields = pickFields(ownField.fields, ['name', 'type', 'description']);
/** Without the choices, of which a field may have hundreds. */
const crmFieldFields = pickFields(providerField.fields, [
  'name',
  'label',
  'type',
  'isCustom',
  'isFilterable',
]);

export const listContactFieldsTool = defineTool({
  name: 'list_contact_fields',
  title: 'List contact fields',
  description: `Lists the own fields of the application, which contacts have as customFields, and for one CRM of the customer: the fields that contacts have there, which of them the own fields are mapped to, and what is wrong with the mappings. ${UNTRUSTED}`,
  annotations: READ_ONLY,
  input: z.strictObject({
    provider: providerArgument(`The CRM. ${DEFAULT_PROVIDER}`),
    customOnly: z
      .boolean()
      .default(true)
      .describe('Whether to list only the fields that the account has added. Default: true.'),
    first: z
      .int()
      .min(0)
      .max(MAX_FIELDS)
      .default(DEFAULT_FIELDS)
      .describe(`Fields of the CRM, at most ${MAX_FIELDS}. Default: ${DEFAULT_FIELDS}.`),
    ...customerArgument,
  }),
  output: toOutputSchema({
    ownFields: toListSchema('The own fields of the application.', ownFieldFields),
    crmFields: toListSchema('The fields that contacts have in the CRM.', crmFieldFields),
    crmFieldCount: {
      type: 'integer',
      description: 'How many such fields there are, listed or not.',
    },
    mappings: toListSchema('The customer’s own sources of own fields.', contactFieldMapping.fields),
    mappingProblems: toListSchema('Mappings that cannot be used.', mappingProblem.fields),
  }),
  async run(context, { customOnly, first, ...given }, charge) {
    await charge(2 * PROVIDER_CALL + first);
    const provider = await resolveProvider(context, given);
    const target = { customerId: resolveCustomerId(context, given.customerId), provider };
    const [crmFields, own, mappings, problems] = await Promise.all([
      readProviderFields(context, target),
      context.loadOwnFields(),
      readFieldMappings(context, target),
      readMappingProblems(context, target),
    ]);
    const wanted = crmFields.filter(({ isCustom }) => isCustom || !customOnly);
    const records = (fields: Fields, list: readonly object[]) =>
      list.map((one) => toRecord(fields, one));
    return {
      structured: {
        ownFields: records(ownFieldFields, own.fields),
        crmFields: records(crmFieldFields, wanted.slice(0, first)),
        crmFieldCount: wanted.length,
        mappings: records(contactFieldMapping.fields, mappings),
        mappingProblems: records(mappingProblem.fields, problems),
      },
      text: `${own.fields.length} own fields, ${wanted.length} fields of ${provider}, ${problems.length} mapping problems; see structuredContent.`,
    };
  },
});

function toListSchema(description: string, fields: Fields): JsonSchema {
  return { type: 'array', description, items: toObjectSchema(fields) };
}
