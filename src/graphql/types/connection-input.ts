import { builder } from '../builder.ts';
import {
  DEPRECATED_ENTITY_MAPPINGS,
  DEPRECATED_SCHEMA_MAPPINGS,
  EntityObjectTypeEnum,
} from './connection-config.ts';
import { ConnectionSyncConfigInput } from './connection-sync-input.ts';
import { CredentialsInput } from './credentials-input.ts';
import { ProviderNameEnum } from './provider.ts';

const FieldMappingInput = builder.inputType('FieldMappingInput', {
  description: 'One of your fields, and the field of the tool that stands for it.',
  fields: (t) => ({
    schemaField: t.string({ required: true, description: 'The field’s name in your application.' }),
    mappedField: t.string({ required: true, description: 'The field’s name in the customer’s tool.' }),
  }),
});

const ObjectFieldMappingsInput = builder.inputType('ObjectFieldMappingsInput', {
  description: 'The field mappings of one object.',
  fields: (t) => ({
    object: t.string({ description: 'The object’s name.' }),
    fieldMappings: t.field({
      type: [FieldMappingInput],
      required: true,
      description: 'Its field mappings.',
    }),
  }),
});

const SchemaMappingsConfigInput = builder.inputType('SchemaMappingsConfigInput', {
  description: 'Field mappings, where data is modelled with objects.',
  fields: (t) => ({
    commonObjects: t.field({
      type: [ObjectFieldMappingsInput],
      description: 'Mappings of the objects that all tools have in common. Left out: none.',
    }),
    standardObjects: t.field({
      type: [ObjectFieldMappingsInput],
      description: 'Mappings of the tool’s own objects. Left out: none.',
    }),
  }),
});

const EntityObjectInput = builder.inputType('EntityObjectInput', {
  description: 'The object of the tool that stands for an entity.',
  fields: (t) => ({
    type: t.field({
      type: EntityObjectTypeEnum,
      required: true,
      description: 'Does the tool bring it along, or did the customer make it?',
    }),
    name: t.string({ description: 'The object’s name in the tool.' }),
  }),
});

const EntityMappingInput = builder.inputType('EntityMappingInput', {
  description: 'An entity of your application, and what stands for it in the tool.',
  fields: (t) => ({
    entityId: t.string({ description: 'The entity’s id.' }),
    object: t.field({
      type: EntityObjectInput,
      description: 'The object of the tool that stands for it.',
    }),
    fieldMappings: t.field({
      type: [FieldMappingInput],
      description: 'Its field mappings. Left out: none.',
    }),
  }),
});

export const ConnectionInput = builder.inputType('ConnectionInput', {
  description:
    'A connection to create or update. A field that is left out stays as it is; one that is null is cleared.',
  fields: (t) => ({
    providerName: t.field({
      type: ProviderNameEnum,
      required: true,
      description: 'The tool. A customer has at most one connection to each.',
    }),
    instanceUrl: t.string({
      description:
        'Where the customer’s own instance of the tool is. It must be one of the tool’s addresses.',
    }),
    schemaMappingsConfig: t.field({
      type: SchemaMappingsConfigInput,
      description: 'Which fields of the tool stand for yours, where data is modelled with objects.',
      deprecationReason: DEPRECATED_SCHEMA_MAPPINGS,
    }),
    entityMappings: t.field({
      type: [EntityMappingInput],
      description:
        'Which objects and fields of the tool stand for yours, where data is modelled with entities.',
      deprecationReason: DEPRECATED_ENTITY_MAPPINGS,
    }),
    connectionSyncConfig: t.field({
      type: ConnectionSyncConfigInput,
      description: 'What this connection syncs otherwise than the rest.',
    }),
    credentials: t.field({
      type: CredentialsInput,
      description: 'What the tool lets Crossbook in with. It is kept sealed, and never shown again.',
    }),
  }),
});
