import type { FieldDefinition, FieldType } from '../soql/table.ts';

/** A field definition in short: `field('Name', 'string', 80)`. Nullable by default. */
export function field(name: string, type: FieldType, length = LENGTHS[type] ?? 0): FieldDefinition {
  return {
    name,
    type,
    length,
    nillable: true,
    relationshipName: null,
    referenceTo: null,
    childRelationshipName: null,
    values: [],
  };
}

export function required(definition: FieldDefinition): FieldDefinition {
  return { ...definition, nillable: false };
}

/** `OwnerId`, a reference to User with the relationship name `Owner`. */
export function reference(
  name: string,
  referenceTo: string,
  childRelationshipName: string | null = null,
): FieldDefinition {
  const relationshipName = name.replace(/Id$/, '');
  return { ...field(name, 'reference'), relationshipName, referenceTo, childRelationshipName };
}

export function picklist(
  name: string,
  length: number,
  values: readonly string[] = [],
): FieldDefinition {
  return { ...field(name, 'picklist', length), values };
}

export function addressFields(kind: string, withCodes: boolean): readonly FieldDefinition[] {
  return [
    field(`${kind}Street`, 'textarea', 255),
    field(`${kind}City`, 'string', 40),
    field(`${kind}State`, 'string', 80),
    field(`${kind}PostalCode`, 'string', 20),
    field(`${kind}Country`, 'string', 80),
    ...(withCodes ? [picklist(`${kind}StateCode`, 10), picklist(`${kind}CountryCode`, 10)] : []),
    field(`${kind}Address`, 'address'),
  ];
}

/** The audit fields of every object: who created and changed a record, and when. */
export function auditFields(): readonly FieldDefinition[] {
  return [
    required(field('CreatedDate', 'datetime')),
    required(reference('CreatedById', 'User')),
    required(field('LastModifiedDate', 'datetime')),
    required(reference('LastModifiedById', 'User')),
    required(field('SystemModstamp', 'datetime')),
  ];
}

const LENGTHS: Partial<Record<FieldType, number>> = {
  id: 18,
  reference: 18,
  email: 80,
  phone: 40,
  url: 255,
};
