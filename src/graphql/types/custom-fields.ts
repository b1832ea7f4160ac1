import { costs } from '@crossbook/executor';
import { type Connection, connection } from '../../domain/connection.ts';
import { LIST_COST } from '../../domain/contact-search.ts';
import { contactFieldMapping } from '../../domain/custom-field.ts';
import {
  type CustomFields,
  customField,
  customFields,
  MAX_CUSTOM_FIELDS,
} from '../../domain/custom-fields.ts';
import { providerName } from '../../domain/provider-names.ts';
import { boolean, descriptionOf, field, id, int, listOf, nullable } from '../../domain/shape.ts';
import { readCustomFields, setCustomFields } from '../../usecases/declare-custom-fields.ts';
import { setFieldMappings } from '../../usecases/map-custom-fields.ts';
import { builder, tagged } from '../define/builder.ts';
import { objectOf } from '../define/from-shape.ts';
import { defineMutation } from '../define/mutation.ts';

builder.queryField('contactFields', (t) =>
  t.field({
    ...tagged('api-key'),
    type: objectOf(customFields),
    description: `The custom fields of contacts that your application has declared, at most ${MAX_CUSTOM_FIELDS}. The fields of a customer’s CRM are \`ConnectedProvider.contactFields\`. Requires an API key.`,
    ...costs({ weight: LIST_COST }),
    resolve: (_root, _args, context) => readCustomFields(context),
  }),
);

defineMutation('setContactFields', {
  description:
    'Replaces the custom fields of your application. All servers follow within five seconds. A field with a reserved or repeated name, or with an invalid source, is `UNPROCESSABLE_ENTITY`; the detail names each. Requires an API key.',
  cost: { weight: LIST_COST },
  input: {
    argument: 'The custom fields.',
    description: 'Custom fields to set.',
    fields: {
      fields: field(
        listOf(customField),
        `All custom fields, at most ${MAX_CUSTOM_FIELDS}. Fields that are not listed are removed.`,
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
  resolve: async (given, context) => ({ contactFields: await setCustomFields(context, given) }),
  payload: {
    description: 'Result of setting custom fields.',
    fields: { contactFields: field<CustomFields>(customFields, 'The stored custom fields.') },
  },
});

defineMutation('setContactFieldMappings', {
  description:
    'Replaces the mappings of custom fields of one connection. A source that the CRM does not have is stored, and appears in `mappingProblems`. Requires an API key.',
  cost: { weight: LIST_COST },
  input: {
    argument: 'The mappings.',
    description: 'Mappings to set.',
    fields: {
      customerId: field(id, 'Your own id of the customer.'),
      provider: field(providerName, 'Provider of the connection.'),
      mappings: field(
        listOf(contactFieldMapping),
        `All mappings of the connection, at most ${MAX_CUSTOM_FIELDS}. Mappings that are not listed are removed.`,
      ),
    },
  },
  resolve: async (given, context) => ({ connection: await setFieldMappings(context, given) }),
  payload: {
    description: 'Result of setting mappings.',
    fields: {
      connection: field<Connection>(connection as never, 'The connection with its mappings.'),
    },
  },
});
