import * as z from 'zod';
import { MAX_PROVIDER_FIELDS, type ProviderFieldType } from '../../domain/custom-fields.ts';
import type { CustomerAccount } from '../../domain/provider.ts';
import type { CrmRecord } from '../../domain/records/record.ts';
import type { DescribedField } from '../../domain/writing.ts';
import {
  optionalFlag,
  optionalList,
  optionalText,
  toChoices,
  toLabel,
  wireName,
} from '../field-list.ts';
import { getAll, V2 } from './call.ts';
import type { PipedriveObject } from './object.ts';

/** The fields of an object: custom ones have a key of 40 digits as their name, and the label that users see. */
export async function listFields(
  account: CustomerAccount,
  { fields: name, writable }: Pick<PipedriveObject<CrmRecord>, 'fields' | 'writable'>,
): Promise<readonly DescribedField[]> {
  const fields = await getAll(account, `${V2}/${name}`, {
    max: MAX_PROVIDER_FIELDS,
    isDescription: true,
  });
  return fields.flatMap((field) => {
    const known = wireField.safeParse(field).data;
    return known ? [toField(known, writable)] : [];
  });
}

function toField(field: z.infer<typeof wireField>, writable: ReadonlySet<string>): DescribedField {
  const { field_code: name, field_name: label, field_type: type, options } = field;
  const isCustom = field.is_custom_field === true;
  return {
    name,
    label: toLabel(label, name),
    type: TYPES[type ?? ''] ?? 'TEXT',
    isCustom,
    // Lists have no filter by the value of a field.
    isFilterable: false,
    choices: toChoices(options?.flatMap((option) => wireOption.safeParse(option).data ?? [])),
    writing: toWriting(type ?? '', isCustom ? !UNWRITTEN.has(type ?? '') : writable.has(name)),
  };
}

export function toWriting(type: string, isWritten: boolean): DescribedField['writing'] {
  return {
    canCreate: isWritten,
    canUpdate: isWritten,
    isRequired: false,
    canClear: isWritten,
    maxLength: type === 'varchar' ? MAX_VARCHAR : null,
    takesOthers: false,
    isUnique: false,
    wireType: type,
  };
}

const MAX_VARCHAR = 255;

/** Types of custom fields whose values have two parts, or are made by Pipedrive. */
const UNWRITTEN: ReadonlySet<string> = new Set([
  'daterange',
  'timerange',
  'varchar_auto',
  'picture',
]);

/** An unknown type is text, as every value can be. */
const TYPES: Readonly<Record<string, ProviderFieldType>> = {
  int: 'NUMBER',
  double: 'NUMBER',
  monetary: 'NUMBER',
  boolean: 'BOOLEAN',
  date: 'DATE',
  enum: 'CHOICE',
  set: 'CHOICES',
  user: 'REFERENCE',
  org: 'REFERENCE',
  people: 'REFERENCE',
  deal: 'REFERENCE',
};

/** Only the name is needed. */
const wireField = z.object({
  field_code: wireName,
  field_name: optionalText,
  field_type: optionalText,
  is_custom_field: optionalFlag,
  options: optionalList,
});

/** Ids of options are numbers, and are words in standard fields. */
const wireOption = z
  .object({ id: z.union([z.number(), z.string(), z.boolean()]), label: optionalText })
  .transform(({ id, label }) => ({ value: String(id), label }));
