import { costs } from '@crossbook/executor';
import { type Connection, connection } from '../../domain/connection.ts';
import { givenFieldMapping } from '../../domain/custom-field.ts';
import {
  type CustomFields,
  customField,
  customFields,
  MAX_CUSTOM_FIELDS,
} from '../../domain/custom-fields.ts';
import { providerName } from '../../domain/provider-names.ts';
import { LIST_COST } from '../../domain/records/record-search.ts';
import { recordType } from '../../domain/records/record-type.ts';
import { boolean, descriptionOf, field, id, int, listOf, nullable } from '../../domain/shape.ts';
import { readCustomFields, setCustomFields } from '../../usecases/declare-custom-fields.ts';
import { setFieldMappings } from '../../usecases/map-custom-fields.ts';
import { builder, tagged } from '../define/builder.ts';
import { objectOf } from '../define/from-shape.ts';
import { defineMutation } from '../define/mutation.ts';
import { RECORD_DESCRIPTION, recordArgument } from '../define/record-argument.ts';

const RECORD = field(recordType, RECORD_DESCRIPTION, { defaultValue: 'CONTACT' });

builder.queryField('customFieldDefinitions', (t) =>
  t.field({
    args: recordArgument,
    ...tagged('api-key'),
    type: objectOf(customFields),
    description: `The custom fields of one type of record that your application has declared, at most ${MAX_CUSTOM_FIELDS}. The fields of a customer’s CRM are \`ConnectedProvider.providerFields\`. Requires an API key.`,
    ...costs({ weight: LIST_COST }),
    resolve: (_root, { record }, context) => readCustomFields(context, record),
  }),
);

defineMutation('setCustomFieldDefinitions', {
  description:
    'Replaces the custom fields of one type of record. All servers follow within five seconds. A field with a reserved or repeated name, or with an invalid source, is `UNPROCESSABLE_ENTITY`; the detail names each. Requires an API key.',
  cost: { weight: LIST_COST },
  input: {
    argument: 'The custom fields.',
    description: 'Custom fields to set.',
    fields: {
      record: RECORD,
      definitions: field(
        listOf(customField),
        `All custom fields of the record type, at most ${MAX_CUSTOM_FIELDS}. Fields that are not listed are removed.`,
      ),
      typedSchema: field(
        boolean,
        `${descriptionOf(customFields, 'typedSchema')} Give it in each call: without it, the typed fields are removed from the schema.`,
        {
          defaultValue: false,
        },
      ),
      expectedVersion: nullable(
        int,
        'Expected version: if the stored one differs, the error is `CONFLICT`. 0: no fields were ever set.',
      ),
    },
  },
  resolve: async (input, context) => ({
    customFieldDefinitions: await setCustomFields(context, input),
  }),
  payload: {
    description: 'Result of setting custom fields.',
    fields: {
      customFieldDefinitions: field<CustomFields>(customFields, 'The stored custom fields.'),
    },
  },
});

defineMutation('setCustomFieldMappings', {
  description:
    'Replaces one connection’s mappings of custom fields of one type of record. A source that the CRM does not have is stored, and appears in `mappingProblems`. Requires an API key.',
  cost: { weight: LIST_COST },
  input: {
    argument: 'The mappings.',
    description: 'Mappings to set.',
    fields: {
      customerId: field(id, 'Your own id of the customer.'),
      provider: field(providerName, 'Provider of the connection.'),
      record: RECORD,
      mappings: field(
        listOf(givenFieldMapping),
        `All mappings of the connection for the record type, at most ${MAX_CUSTOM_FIELDS}. Mappings that are not listed are removed.`,
      ),
    },
  },
  resolve: async (input, context) => ({ connection: await setFieldMappings(context, input) }),
  payload: {
    description: 'Result of setting mappings.',
    fields: {
      connection: field<Connection>(connection as never, 'The connection with its mappings.'),
    },
  },
});
