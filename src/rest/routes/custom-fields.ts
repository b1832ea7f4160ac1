import * as z from 'zod';
import {
  CUSTOM_FIELD_TYPES,
  customFieldType,
  givenFieldMapping,
} from '../../domain/custom-field.ts';
import {
  type CustomFields,
  customField,
  customFieldSource,
  customFields,
  MAX_CUSTOM_FIELDS,
  mappingProblem,
  providerField,
} from '../../domain/custom-fields.ts';
import { EXAMPLE_PROVIDERS, toExampleSources } from '../../domain/provider-names.ts';
import { PROVIDER_CALL } from '../../domain/records/record-search.ts';
import { RECORD_TYPES } from '../../domain/records/record-type.ts';
import { descriptionOf } from '../../domain/shape.ts';
import { readCustomFields, setCustomFields } from '../../usecases/declare-custom-fields.ts';
import {
  listFieldMappings,
  readFieldMappings,
  setFieldMappings,
} from '../../usecases/map-custom-fields.ts';
import { readMappingProblems } from '../../usecases/mapping-problems.ts';
import { readProviderFields } from '../../usecases/provider-fields.ts';
import { defineOperation } from '../operation.ts';
import { EXAMPLE_MOMENT, enumInput, object, optional, text, toSchema, toWire } from '../schemas.ts';
import { CONNECTION_PATH, connectionPath } from './connections.ts';
import { readExpectedVersion, versionHeaders } from './customers.ts';

const RECORD = {
  record: enumInput(RECORD_TYPES, 'The type of the records.', 'CONTACT'),
};
const recordPath = z.strictObject(RECORD);

const customFieldsSchema = toSchema(customFields, 'response');

/** Texts, which the use case checks, so that every mistake is named in one error. */
const setFieldsSchema = object('request', 'CustomFieldDefinitionsInput', 'Custom fields to set.', {
  definitions: z
    .array(
      z.strictObject({
        name: text(descriptionOf(customField, 'name'), 'favoriteColor'),
        type: z.string().meta({
          description: `${descriptionOf(customField, 'type')} ${Object.entries(
            customFieldType.words,
          )
            .map(([word, meaning]) => `\`${word.toLowerCase()}\`: ${meaning}`)
            .join(' ')}`,
          enum: CUSTOM_FIELD_TYPES.map((type) => type.toLowerCase()),
          examples: ['text'],
        }),
        description: z.string().nullish().describe(descriptionOf(customField, 'description')),
        sources: optional(
          z.array(
            z.strictObject({
              provider_name: text(
                descriptionOf(customFieldSource, 'provider'),
                EXAMPLE_PROVIDERS.first,
              ),
              field: text(descriptionOf(customFieldSource, 'field'), 'favorite_color'),
            }),
          ),
          descriptionOf(customField, 'sources'),
        ),
        customers_may_map: optional(
          z.boolean(),
          `${descriptionOf(customField, 'customersMayMap')} Default: true.`,
        ),
      }),
    )
    .describe(
      `All custom fields of the type of record, at most ${MAX_CUSTOM_FIELDS}. Fields that are not listed are removed.`,
    ),
  typed_schema: optional(
    z.boolean(),
    `${descriptionOf(customFields, 'typedSchema')} Default: false. Give it in each call: without it, the typed fields are removed from the schema.`,
  ),
});

const mappingsSchema = object(
  'response',
  'CustomFieldMappings',
  'The mappings of one connection of custom fields of one type of record.',
  {
    mappings: z
      .array(toSchema(givenFieldMapping, 'response'))
      .describe('Mappings, which come before the sources of the application.'),
  },
);

const setMappingsSchema = object('request', 'CustomFieldMappingsInput', 'Mappings to set.', {
  mappings: z
    .array(toSchema(givenFieldMapping, 'request'))
    .describe(
      `All mappings of the connection for the type of record, at most ${MAX_CUSTOM_FIELDS}. Mappings that are not listed are removed.`,
    ),
});

const problemsSchema = object(
  'response',
  'MappingProblems',
  'Mappings of one connection that cannot be used.',
  {
    records: z
      .array(toSchema(mappingProblem, 'response'))
      .describe('They fail no search: the fields are null.'),
  },
);

const providerFieldsSchema = object(
  'response',
  'ProviderFields',
  'The fields that records of one type have in a customer’s CRM.',
  { records: z.array(toSchema(providerField, 'response')).describe('Fields of these records.') },
);

const EXAMPLE_FIELD = {
  name: 'favoriteColor',
  type: 'text',
  description: 'The person’s favorite color.',
  sources: toExampleSources('favoriteColor').map(({ provider, field }) => ({
    provider_name: provider,
    field,
  })),
  customers_may_map: true,
};
const EXAMPLE_MAPPING = { field: 'favoriteColor', source: 'favorite_color' };

const CUSTOM_FIELDS = {
  schema: customFieldsSchema,
  example: { version: 1, definitions: [EXAMPLE_FIELD], typed_schema: true },
  headers: { etag: 'Version of the custom fields, for If-Match.' },
};
const MAPPINGS = { schema: mappingsSchema, example: { mappings: [EXAMPLE_MAPPING] } };

const toMappingsRecord = (mappings: readonly object[]) => ({
  mappings: mappings.map((one) => toWire(givenFieldMapping, one)),
});

function toETag({ version }: CustomFields): string {
  return `"${version}"`;
}

export const customFieldOperations = [
  defineOperation({
    id: 'getCustomFieldDefinitions',
    route: 'GET /custom_fields/{record}',
    summary: 'Read custom fields',
    description:
      'The custom fields of one type of record that the application has declared. The fields of a customer’s CRM are at `/customers/{customer_id}/connections/{provider_name}/provider_fields/{record}`.',
    input: { path: recordPath },
    response: { ...CUSTOM_FIELDS, description: 'The custom fields.' },
    async handle(context, { path }, head) {
      const found = await readCustomFields(context, path.record);
      head.headers['etag'] = toETag(found);
      return toWire(customFields, found);
    },
  }),
  defineOperation({
    id: 'setCustomFieldDefinitions',
    route: 'PUT /custom_fields/{record}',
    summary: 'Set custom fields',
    description:
      'Replaces the custom fields of one type of record. All servers follow within five seconds. A field with a reserved or repeated name, an unknown type or an invalid source is 422; the detail names each.',
    input: { path: recordPath, headers: versionHeaders, body: setFieldsSchema },
    bodyExample: { definitions: [EXAMPLE_FIELD], typed_schema: true },
    response: { ...CUSTOM_FIELDS, description: 'The stored custom fields.' },
    errors: [409, 422],
    async handle(context, { path, headers, body }, head) {
      const stored = await setCustomFields(context, {
        record: path.record,
        definitions: body.definitions.map(
          ({ sources, customers_may_map: customersMayMap, ...field }) => ({
            ...field,
            customersMayMap,
            sources: (sources ?? []).map(({ provider_name: provider, field: name }) => ({
              provider,
              field: name,
            })),
          }),
        ),
        typedSchema: body.typed_schema,
        expectedVersion: readExpectedVersion(headers),
      });
      head.headers['etag'] = toETag(stored);
      return toWire(customFields, stored);
    },
  }),
];

const input = { path: connectionPath };
const recordInput = { path: connectionPath.extend(RECORD) };

/** What belongs to one connection. */
export const fieldMappingOperations = [
  defineOperation({
    id: 'getCustomFieldMappings',
    route: `GET ${CONNECTION_PATH}/custom_field_mappings/{record}`,
    summary: 'Read mappings of custom fields',
    description:
      'The customer’s own sources of custom fields of one type of record at one provider.',
    callers: ['apiKey', 'customerToken'],
    input: recordInput,
    response: { ...MAPPINGS, description: 'The mappings.' },
    errors: [404],
    handle: async (context, { path }) =>
      toMappingsRecord(await readFieldMappings(context, toTarget(path), path.record)),
  }),
  defineOperation({
    id: 'setCustomFieldMappings',
    route: `PUT ${CONNECTION_PATH}/custom_field_mappings/{record}`,
    summary: 'Set mappings of custom fields',
    description:
      'Replaces one connection’s mappings of custom fields of one type of record. A source that the CRM does not have is stored, and appears among the mapping problems.',
    input: { ...recordInput, body: setMappingsSchema },
    bodyExample: { mappings: [EXAMPLE_MAPPING] },
    response: { ...MAPPINGS, description: 'The stored mappings.' },
    errors: [404, 422],
    async handle(context, { path, body: { mappings } }) {
      const { record } = path;
      const mappingsInput = {
        ...toTarget(path),
        record,
        mappings: mappings as typeof mappings & Mappings,
      };
      const connection = await setFieldMappings(context, mappingsInput);
      return toMappingsRecord(listFieldMappings(connection, record));
    },
  }),
  defineOperation({
    id: 'listMappingProblems',
    route: `GET ${CONNECTION_PATH}/mapping_problems`,
    summary: 'List mapping problems',
    description:
      'The mappings of one connection that cannot be used, of custom fields of all types of records, at most 200.',
    callers: ['apiKey', 'customerToken'],
    input,
    response: {
      description: 'The problems.',
      schema: problemsSchema,
      example: {
        records: [
          { record: 'contact', ...EXAMPLE_MAPPING, problem: 'missing', since: EXAMPLE_MOMENT },
        ],
      },
    },
    errors: [404],
    async handle(context, { path }) {
      await context.charge(PROVIDER_CALL);
      const found = await readMappingProblems(context, toTarget(path));
      return { records: found.map((one) => toWire(mappingProblem, one)) };
    },
  }),
  defineOperation({
    id: 'listProviderFields',
    route: `GET ${CONNECTION_PATH}/provider_fields/{record}`,
    summary: 'List the CRM’s fields',
    description:
      'The fields that records of one type have in the CRM, as far as the connected user can see them, at most 2,000. They are read from the CRM once a day.',
    callers: ['apiKey', 'customerToken'],
    input: {
      ...recordInput,
      query: z.strictObject({
        refresh: optional(
          z.boolean(),
          'Whether to read them from the CRM now. A refresh within ten seconds of another returns its list.',
        ),
      }),
    },
    response: {
      description: 'The fields.',
      schema: providerFieldsSchema,
      example: {
        records: [
          {
            name: 'favorite_color',
            label: 'Favorite color',
            type: 'choice',
            is_custom: true,
            is_filterable: true,
            choices: [{ value: 'violet', label: 'Violet' }],
          },
        ],
      },
    },
    errors: [404, 499, 501],
    async handle(context, { path, query: { refresh } }) {
      await context.charge(PROVIDER_CALL);
      const found = await readProviderFields(context, {
        ...toTarget(path),
        record: path.record,
        refresh,
      });
      return { records: found.map((one) => toWire(providerField, one)) };
    },
  }),
];

function toTarget(path: z.output<typeof connectionPath>) {
  return { customerId: path.customer_id, provider: path.provider_name };
}

type Mappings = readonly { readonly field: string; readonly source: string }[];
