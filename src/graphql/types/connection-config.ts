import type {
  ConnectionSyncConfig,
  DestinationConfig,
  ENTITY_OBJECT_TYPES,
  EntityMapping,
  FieldMapping,
  ObjectFieldMappings,
  SchemaMappingsConfig,
  SyncedObject,
} from '../../domain/connection.ts';
import { builder } from '../builder.ts';
import { costs } from '../cost.ts';
import { toEnumValues } from './enum-values.ts';

export const DEPRECATED_SCHEMA_MAPPINGS =
  'Mappings are moving out of the connection; it is kept and answered as it was given.';
export const DEPRECATED_ENTITY_MAPPINGS = DEPRECATED_SCHEMA_MAPPINGS;

export const EntityObjectTypeEnum = builder.enumType('EntityObjectType', {
  description: 'Does the tool bring this object along, or did the customer make it?',
  values: toEnumValues<(typeof ENTITY_OBJECT_TYPES)[number]>({
    standard: 'The tool brings it along.',
    custom: 'The customer made it.',
  }),
});

const FieldMappingType = builder.objectRef<FieldMapping>('FieldMapping').implement({
  description: 'One of your fields, and the field of the tool that stands for it.',
  fields: (t) => ({
    schemaField: t.exposeString('schemaField', { description: 'The field’s name in your application.' }),
    mappedField: t.exposeString('mappedField', { description: 'The field’s name in the customer’s tool.' }),
  }),
});

const ObjectFieldMappingsType = builder.objectRef<ObjectFieldMappings>('ObjectFieldMappings').implement({
  description: 'The field mappings of one object.',
  fields: (t) => ({
    object: t.exposeString('object', { nullable: true, description: 'The object’s name.' }),
    fieldMappings: t.expose('fieldMappings', {
      type: [FieldMappingType],
      description: 'Its field mappings.',
      ...costs({ items: 10 }),
    }),
  }),
});

export const SchemaMappingsConfigType = builder
  .objectRef<SchemaMappingsConfig>('SchemaMappingsConfig')
  .implement({
    description: 'Field mappings, where data is modelled with objects.',
    fields: (t) => ({
      commonObjects: t.expose('commonObjects', {
        type: [ObjectFieldMappingsType],
        nullable: true,
        description: 'Mappings of the objects that all tools have in common. Null: none were given.',
        ...costs({ items: 5 }),
      }),
      standardObjects: t.expose('standardObjects', {
        type: [ObjectFieldMappingsType],
        nullable: true,
        description: 'Mappings of the tool’s own objects. Null: none were given.',
        ...costs({ items: 5 }),
      }),
    }),
  });

const EntityObjectType = builder.objectRef<NonNullable<EntityMapping['object']>>('EntityObject').implement({
  description: 'The object of the tool that stands for an entity.',
  fields: (t) => ({
    type: t.expose('type', {
      type: EntityObjectTypeEnum,
      description: 'Does the tool bring it along, or did the customer make it?',
    }),
    name: t.exposeString('name', { nullable: true, description: 'The object’s name in the tool.' }),
  }),
});

export const EntityMappingType = builder.objectRef<EntityMapping>('EntityMapping').implement({
  description: 'An entity of your application, and what stands for it in the tool.',
  fields: (t) => ({
    entityId: t.exposeString('entityId', { nullable: true, description: 'The entity’s id.' }),
    object: t.expose('object', {
      type: EntityObjectType,
      nullable: true,
      description: 'The object of the tool that stands for it.',
    }),
    fieldMappings: t.expose('fieldMappings', {
      type: [FieldMappingType],
      description: 'Its field mappings.',
      ...costs({ items: 10 }),
    }),
  }),
});

const PostgresDestinationType = builder
  .objectRef<Extract<DestinationConfig, { type: 'postgres' }>>('PostgresDestination')
  .implement({
    description: 'Data goes to a PostgreSQL database.',
    fields: (t) => ({
      schema: t.exposeString('schema', {
        nullable: true,
        description:
          'The schema. It must exist already. Null: the schema of the destination that is configured.',
      }),
    }),
  });

const BigQueryDestinationType = builder
  .objectRef<Extract<DestinationConfig, { type: 'bigquery' }>>('BigQueryDestination')
  .implement({
    description: 'Data goes to Google BigQuery.',
    fields: (t) => ({
      dataset: t.exposeString('dataset', {
        nullable: true,
        description:
          'The dataset. It must exist already. Null: the dataset of the destination that is configured.',
      }),
    }),
  });

const DestinationConfigUnion = builder.unionType('DestinationConfig', {
  description: 'Where a connection’s data goes, instead of the default destination.',
  types: [PostgresDestinationType, BigQueryDestinationType],
  resolveType: ({ type }) => (type === 'postgres' ? PostgresDestinationType : BigQueryDestinationType),
});

const SyncedObjectType = builder.objectRef<SyncedObject>('SyncedObject').implement({
  description: 'An object of the tool that is synced.',
  fields: (t) => ({
    object: t.exposeString('object', { description: 'The tool’s name for it; upper and lower case matter.' }),
    table: t.exposeString('table', {
      nullable: true,
      description: 'The table that it goes to. Null: the default table.',
    }),
  }),
});

export const ConnectionSyncConfigType = builder
  .objectRef<ConnectionSyncConfig>('ConnectionSyncConfig')
  .implement({
    description: 'What one connection syncs otherwise than the rest.',
    fields: (t) => ({
      destinationConfig: t.expose('destinationConfig', {
        type: DestinationConfigUnion,
        nullable: true,
        description: 'Where its data goes. Null: to the default destination.',
      }),
      standardObjects: t.expose('standardObjects', {
        type: [SyncedObjectType],
        nullable: true,
        description: 'The tool’s own objects that are synced. Null: those of the sync configuration.',
        ...costs({ items: 10 }),
      }),
      customObjects: t.expose('customObjects', {
        type: [SyncedObjectType],
        nullable: true,
        description:
          'The customer’s own objects that are synced (a preview). Null: those of the sync configuration.',
        ...costs({ items: 10 }),
      }),
    }),
  });
