import * as z from 'zod';
import { MAX_PROVIDER_FIELDS, type ProviderFieldType } from '../../domain/custom-fields.ts';
import type { CustomerAccount } from '../../domain/provider.ts';
import type { DescribedField } from '../../domain/writing.ts';
import { isRecord } from '../../lib/json.ts';
import {
  optionalFlag,
  optionalList,
  optionalText,
  toChoices,
  toLabel,
  wireName,
} from '../field-list.ts';
import { OBJECTS, parseResponse, toFailure } from './call.ts';

/** The properties that records of an object have in a portal, in one call: there is no paging. */
export async function listFields(
  { send }: CustomerAccount,
  object: string,
): Promise<readonly DescribedField[]> {
  const path = `${OBJECTS.properties}/${object}`;
  const answer = await send({
    method: 'GET',
    path,
    budget: 'general',
    retry: 'safe',
    isDescription: true,
  });
  if (answer.status < 200 || answer.status > 299) throw toFailure(answer);
  const properties = parseResponse(toProperties, answer);
  const fields: DescribedField[] = [];
  for (const property of properties.slice(0, MAX_PROVIDER_FIELDS)) {
    const known = wireProperty.safeParse(property).data;
    if (known && known.archived !== true) fields.push(toField(known));
  }
  return fields;
}

function toProperties(json: unknown): readonly unknown[] | undefined {
  const results = isRecord(json) ? json['results'] : undefined;
  return Array.isArray(results) ? results : undefined;
}

function toField(property: WireProperty): DescribedField {
  const { name, label, hubspotDefined, options, calculated, modificationMetadata } = property;
  const type = toType(property);
  const isOpen = calculated !== true && modificationMetadata?.readOnlyValue !== true;
  return {
    name,
    label: toLabel(label, name),
    type,
    isCustom: hubspotDefined !== true,
    // HubSpot has no flag for it.
    isFilterable: property.type !== 'json' && property.type !== 'object_coordinates',
    choices: toChoices(options),
    writing: {
      canCreate: isOpen,
      canUpdate: isOpen,
      isRequired: false,
      canClear: true,
      maxLength: type === 'TEXT' ? MAX_TEXT : null,
      // The options are records of another kind, or stages of pipelines, which the list does not have.
      takesOthers: property.externalOptions === true,
      isUnique: property.hasUniqueValue === true,
    },
  };
}

/** An unknown type is text, as every value is. */
function toType({ type, fieldType, externalOptions, referencedObjectType }: WireProperty) {
  if (type !== 'enumeration') return TYPES[type ?? ''] ?? 'TEXT';
  if (externalOptions === true && referencedObjectType) return 'REFERENCE';
  if (fieldType === 'booleancheckbox') return 'BOOLEAN';
  return fieldType === 'checkbox' ? 'CHOICES' : 'CHOICE';
}

const TYPES: Readonly<Record<string, ProviderFieldType>> = {
  number: 'NUMBER',
  bool: 'BOOLEAN',
  date: 'DATE',
  datetime: 'DATETIME',
};

const MAX_TEXT = 65_536;

/** Only the name is needed. */
const wireProperty = z.object({
  name: wireName,
  label: optionalText,
  type: optionalText,
  fieldType: optionalText,
  referencedObjectType: optionalText,
  externalOptions: optionalFlag,
  hubspotDefined: optionalFlag,
  archived: optionalFlag,
  calculated: optionalFlag,
  hasUniqueValue: optionalFlag,
  modificationMetadata: z.object({ readOnlyValue: optionalFlag }).nullish().catch(null),
  options: optionalList,
});
type WireProperty = z.infer<typeof wireProperty>;
