import { costs } from '@crossbook/executor';
import { type Connection, connection } from '../../domain/connection.ts';
import { customFieldMapping } from '../../domain/custom-field.ts';
import { mappingProblem, providerField } from '../../domain/custom-fields.ts';
import { category, providerName } from '../../domain/provider-names.ts';
import { grantableAccess } from '../../domain/record-access.ts';
import { associatedObject } from '../../domain/records/contact.ts';
import { LIST_COST, PROVIDER_CALL, type RecordTarget } from '../../domain/records/record-search.ts';
import { capability } from '../../domain/records/record-type.ts';
import { boolean, descriptionOf, field, listOf, shape } from '../../domain/shape.ts';
import { sync } from '../../domain/sync.ts';
import { writableField } from '../../domain/writing.ts';
import { listProviders, readStatusReason } from '../../usecases/list-providers.ts';
import { readSyncs } from '../../usecases/manage-syncs.ts';
import { listFieldMappings } from '../../usecases/map-custom-fields.ts';
import { readMappingProblems } from '../../usecases/mapping-problems.ts';
import { readProviderFields } from '../../usecases/provider-fields.ts';
import { findMissingScopes, readGrantedAccess } from '../../usecases/record-access.ts';
import { listWritableFields } from '../../usecases/writable-fields.ts';
import { builder } from '../define/builder.ts';
import { defineObject, objectOf } from '../define/from-shape.ts';
import { recordArgument } from '../define/record-argument.ts';
import { ContactConnectionType, search, searchArguments, searchCosts } from './contact.ts';
import { NODE_ID, NodeInterface } from './node.ts';

const provider = shape('Provider', 'A provider and its capabilities.', {
  name: field(providerName, 'Name of the provider.'),
  category: field(category, 'Category of the provider.'),
  canConnect: field(
    boolean,
    'Whether a customer can connect it by a connect link. If not, `createConnectLink` fails with `NOT_IMPLEMENTED`: set credentials with `upsertCustomer`.',
  ),
  grantableAccess: field(
    listOf(grantableAccess),
    'Types of records to which a connect link can ask for access. Empty if a link cannot connect it.',
    { items: 3 },
  ),
  associatedObjects: field(
    listOf(associatedObject),
    'Types of records that its contacts can be associated with. Empty if it supports none.',
    { items: 3 },
  ),
  capabilities: field(
    listOf(capability),
    'What can be done with its records, by type. Empty if they cannot be read: then a search fails with `NOT_IMPLEMENTED`.',
    { items: 2 },
  ),
});

builder.queryField('providers', (t) =>
  t.field({
    type: [objectOf(provider)],
    description:
      'All providers with their capabilities: hide those that cannot be searched or connected, which would fail with `NOT_IMPLEMENTED`. Requires an API key or a customer token.',
    ...costs({ items: 18 }),
    resolve: (_root, _args, context) => listProviders(context),
  }),
);

defineObject<Connection>(connection, {
  name: 'ConnectedProvider',
  interfaces: [NodeInterface],
  resolvers: {
    statusReason: (record: Connection, _args, { providers }) => readStatusReason(providers, record),
    missingScopes: (record: Connection, _args, { providers }) =>
      findMissingScopes(providers, record),
    grantedAccess: (record: Connection, _args, { providers }) =>
      readGrantedAccess(providers.get(record.providerName), record),
  },
  fields: (t) => ({
    id: t.exposeID('id', NODE_ID),
    customFieldMappings: t.field({
      type: [objectOf(customFieldMapping)],
      description: descriptionOf(connection, 'customFieldMappings'),
      args: recordArgument,
      ...costs({ items: 10 }),
      resolve: (connected, { record }) => listFieldMappings(connected, record),
    }),
    mappingProblems: t.field({
      type: [objectOf(mappingProblem)],
      description:
        'Mappings of custom fields of all types of records that cannot be used, at most 200. They fail no search: the fields are null.',
      ...costs({ weight: PROVIDER_CALL, items: 5 }),
      resolve: (record, _args, context) => readMappingProblems(context, toTarget(record)),
    }),
    providerFields: t.field({
      type: [objectOf(providerField)],
      nullable: true,
      description:
        'Fields that records of one type have in the CRM, as far as the connected user can see them, at most 2,000. The custom fields of your application are `Query.customFieldDefinitions`. They are read from the CRM once a day. Null, with an error at its path, if that fails.',
      args: {
        ...recordArgument,
        refresh: t.arg.boolean({
          defaultValue: false,
          description:
            'Whether to read them from the CRM now. A refresh within ten seconds of another returns its list.',
        }),
      },
      ...costs({ weight: PROVIDER_CALL, items: 200 }),
      resolve: (connected, { record, refresh }, context) =>
        readProviderFields(context, { ...toTarget(connected), record, refresh }),
    }),
    writableFields: t.field({
      type: [objectOf(writableField)],
      nullable: true,
      description:
        'Fields of the CRM that `rawFields` of a write can name, and what they take. They are read from the CRM once a day. Null, with an error at its path, if that fails.',
      args: recordArgument,
      ...costs({ weight: PROVIDER_CALL, items: 200 }),
      resolve: (connected, { record }, context) =>
        listWritableFields(context, toTarget(connected), record),
    }),
    syncs: t.field({
      type: [objectOf(sync)],
      description:
        'Syncs of the connection, which copy records of the CRM to the sync destination of your application. Empty unless a sync configuration of the provider was set.',
      ...costs({ weight: LIST_COST, items: 3 }),
      resolve: (record, _args, context) => readSyncs(context, record),
    }),
    searchContacts: t.field({
      type: ContactConnectionType,
      nullable: true,
      description:
        'Searches the customer’s contacts at this provider. Null, with an error at its path, if that fails.',
      args: searchArguments,
      ...searchCosts,
      resolve: (record, args, context, info) => {
        return search({ target: toTarget(record), args, context, info });
      },
    }),
  }),
});

function toTarget({ customerId, providerName }: Connection): RecordTarget {
  return { customerId, provider: providerName };
}
