import * as z from 'zod';
import { customFieldMapping } from '../../domain/custom-field.ts';
import { customField, mappingProblem, providerField } from '../../domain/custom-fields.ts';
import { PROVIDER_CALL } from '../../domain/records/record-search.ts';
import { RECORD_TYPES } from '../../domain/records/record-type.ts';
import type { Fields } from '../../domain/shape.ts';
import { resolveCustomerId } from '../../usecases/authorization.ts';
import { readFieldMappings } from '../../usecases/map-custom-fields.ts';
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

const customFieldFields = pickFields(customField.fields, ['name', 'type', 'description']);
/** Without the choices, of which a field may have hundreds. */
const providerFieldFields = pickFields(providerField.fields, [
  'name',
  'label',
  'type',
  'isCustom',
  'isFilterable',
]);

export const listCustomFieldsTool = defineTool({
  name: 'list_contact_fields',
  title: 'List custom fields',
  description: `Lists the custom fields of one type of record of the application, which contacts or other records have as customFields, and for one CRM of the customer: the fields that these records have there, which of them the custom fields are mapped to, and what is wrong with the mappings. ${UNTRUSTED}`,
  annotations: READ_ONLY,
  input: z.strictObject({
    record: z
      .enum(RECORD_TYPES)
      .default('CONTACT')
      .describe('The type of the records. Default: CONTACT.'),
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
    customFields: toListSchema('The custom fields of the application.', customFieldFields),
    providerFields: toListSchema(
      'The fields that these records have in the CRM.',
      providerFieldFields,
    ),
    providerFieldCount: {
      type: 'integer',
      description: 'How many such fields there are, listed or not.',
    },
    mappings: toListSchema(
      'The customer’s own sources of custom fields.',
      customFieldMapping.fields,
    ),
    mappingProblems: toListSchema('Mappings that cannot be used.', mappingProblem.fields),
  }),
  async run(context, { record, customOnly, first, ...args }, charge) {
    await charge(2 * PROVIDER_CALL + first);
    const provider = await resolveProvider(context, args);
    const target = { customerId: resolveCustomerId(context, args.customerId), provider };
    const [providerFields, all, mappings, allProblems] = await Promise.all([
      readProviderFields(context, { ...target, record }),
      context.loadCustomFields(),
      readFieldMappings(context, target, record),
      readMappingProblems(context, target),
    ]);
    const declared = all[record];
    const problems = allProblems.filter((one) => one.record === record || one.record === null);
    const listed = providerFields.filter(({ isCustom }) => isCustom || !customOnly);
    const records = (fields: Fields, list: readonly object[]) =>
      list.map((one) => toRecord(fields, one));
    return {
      structured: {
        customFields: records(customFieldFields, declared.definitions),
        providerFields: records(providerFieldFields, listed.slice(0, first)),
        providerFieldCount: listed.length,
        mappings: records(customFieldMapping.fields, mappings),
        mappingProblems: records(mappingProblem.fields, problems),
      },
      text: `${declared.definitions.length} custom fields, ${listed.length} fields of ${provider}, ${problems.length} mapping problems; see structuredContent.`,
    };
  },
});

function toListSchema(description: string, fields: Fields): JsonSchema {
  return { type: 'array', description, items: toObjectSchema(fields) };
}
