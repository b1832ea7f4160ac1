import * as z from 'zod';
import {
  MAX_PROVIDER_FIELDS,
  type ProviderField,
  type ProviderFieldType,
} from '../../domain/custom-fields.ts';
import type { CustomerAccount } from '../../domain/provider.ts';
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
): Promise<readonly ProviderField[]> {
  const path = `${OBJECTS.properties}/${object}`;
  const answer = await send({
    method: 'GET',
    path,
    budget: 'general',
    retry: 'safe',
    isDescription: true,
  });
  if (answer.status < 200 || answer.status > 299) throw toFailure(answer);
  const properties = await parseResponse(toProperties, answer);
  const fields: ProviderField[] = [];
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

function toField(property: WireProperty): ProviderField {
  const { name, label, hubspotDefined, options } = property;
  const type = toType(property);
  return {
    name,
    label: toLabel(label, name),
    type,
    isCustom: hubspotDefined !== true,
    // HubSpot has no flag for it.
    isFilterable: property.type !== 'json' && property.type !== 'object_coordinates',
    choices: toChoices(options),
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
  options: optionalList,
});
type WireProperty = z.infer<typeof wireProperty>;
