import * as z from 'zod';
import {
  ENTITY_OBJECT_TYPES,
  type EntityMapping,
  type ObjectFieldMappings,
  type SchemaMappingsConfig,
} from '../../domain/connection.ts';
import { absentOrNull, choice, text } from './fields.ts';

export const fieldMappingShape = z
  .strictObject({
    schema_field: text('The field’s name in the client application.', 'email'),
    mapped_field: text('The field’s name in the customer’s provider.', 'work_email__c'),
  })
  .describe('One field of the client application and the provider’s field that it is read from.');

export const objectFieldMappingsShape = z
  .strictObject({
    object: absentOrNull(z.string()).meta({ description: 'The object’s name.', examples: ['contact'] }),
    field_mappings: z.array(fieldMappingShape).describe('The fields of the object.'),
  })
  .describe('An object and how its fields are mapped.');

export const schemaMappingsConfigShape = z
  .strictObject({
    common_objects: absentOrNull(z.array(objectFieldMappingsShape)).describe('Mappings of common objects.'),
    standard_objects: absentOrNull(z.array(objectFieldMappingsShape)).describe(
      'Mappings of standard objects.',
    ),
  })
  .describe('Field mappings where data is modelled with objects.');

const entityObjectShape = z.strictObject({
  type: choice(ENTITY_OBJECT_TYPES, 'Is it an object of the provider’s own, or one of the customer’s?'),
  name: absentOrNull(z.string()).meta({
    description: 'The object’s name in the provider, case-sensitive.',
    examples: ['Contact'],
  }),
});

export const entityMappingShape = z
  .strictObject({
    entity_id: absentOrNull(z.string()).describe('The entity’s id in the client application.'),
    object: absentOrNull(entityObjectShape).describe('The provider’s object that the entity is mapped to.'),
    field_mappings: z.array(fieldMappingShape).describe('The fields of the entity.'),
  })
  .describe('Object and field mappings where data is modelled with entities.');

type SchemaMappingsRecord = z.output<typeof schemaMappingsConfigShape>;
type ObjectFieldMappingsRecord = z.output<typeof objectFieldMappingsShape>;
type FieldMappingRecord = z.output<typeof fieldMappingShape>;
type EntityMappingRecord = z.output<typeof entityMappingShape>;

export function toSchemaMappingsConfig(record: SchemaMappingsRecord): SchemaMappingsConfig {
  return {
    commonObjects: record.common_objects?.map(toObjectFieldMappings) ?? null,
    standardObjects: record.standard_objects?.map(toObjectFieldMappings) ?? null,
  };
}

export function toSchemaMappingsRecord(config: SchemaMappingsConfig): SchemaMappingsRecord {
  return {
    common_objects: config.commonObjects?.map(toObjectFieldMappingsRecord),
    standard_objects: config.standardObjects?.map(toObjectFieldMappingsRecord),
  };
}

export function toEntityMapping({ entity_id, object, field_mappings }: EntityMappingRecord): EntityMapping {
  return {
    entityId: entity_id ?? null,
    object: object ? { type: object.type, name: object.name ?? null } : null,
    fieldMappings: toFieldMappings(field_mappings),
  };
}

export function toEntityMappingRecord({
  entityId,
  object,
  fieldMappings,
}: EntityMapping): EntityMappingRecord {
  return {
    entity_id: entityId ?? undefined,
    object: object ? { type: object.type, name: object.name ?? undefined } : undefined,
    field_mappings: toFieldMappingRecords(fieldMappings),
  };
}

function toObjectFieldMappings({ object, field_mappings }: ObjectFieldMappingsRecord): ObjectFieldMappings {
  return { object: object ?? null, fieldMappings: toFieldMappings(field_mappings) };
}

function toObjectFieldMappingsRecord(mappings: ObjectFieldMappings): ObjectFieldMappingsRecord {
  return {
    object: mappings.object ?? undefined,
    field_mappings: toFieldMappingRecords(mappings.fieldMappings),
  };
}

function toFieldMappings(records: readonly FieldMappingRecord[]): EntityMapping['fieldMappings'] {
  return records.map((record) => ({ schemaField: record.schema_field, mappedField: record.mapped_field }));
}

function toFieldMappingRecords(mappings: EntityMapping['fieldMappings']): FieldMappingRecord[] {
  return mappings.map(({ schemaField, mappedField }) => ({
    schema_field: schemaField,
    mapped_field: mappedField,
  }));
}
