import * as z from 'zod';
import { MAX_PROVIDER_FIELDS, type ProviderFieldType } from '../../domain/custom-fields.ts';
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

/** Reads the describe of contacts, which has the fields that the connected user can see. */
export function toProviderFields(json: unknown): readonly DescribedField[] | undefined {
  const fields = isRecord(json) ? json['fields'] : undefined;
  if (!Array.isArray(fields)) return undefined;
  return fields.slice(0, MAX_PROVIDER_FIELDS).flatMap((field) => {
    const known = wireField.safeParse(field).data;
    return known ? [toField(known)] : [];
  });
}

function toField(field: WireField): DescribedField {
  const { name, label, custom, filterable, picklistValues } = field;
  const type = TYPES[field.type ?? ''] ?? 'OTHER';
  const { length = null, nillable, defaultedOnCreate } = field;
  const canCreate = field.createable === true;
  return {
    name,
    label: toLabel(label, name),
    type,
    isCustom: custom === true,
    isFilterable: filterable === true,
    choices: toChoices(picklistValues),
    writing: {
      canCreate,
      canUpdate: field.updateable === true,
      // A checkbox has a value always.
      isRequired:
        canCreate && nillable === false && defaultedOnCreate !== true && type !== 'BOOLEAN',
      canClear: nillable !== false,
      maxLength: type === 'TEXT' && length ? length : null,
      takesOthers: field.restrictedPicklist !== true,
      isUnique: field.unique === true && filterable === true,
    },
  };
}

/** All others, such as `address`, `location` and `base64`, are no single value. */
const TYPES: Readonly<Record<string, ProviderFieldType>> = {
  id: 'TEXT',
  string: 'TEXT',
  textarea: 'TEXT',
  email: 'TEXT',
  phone: 'TEXT',
  url: 'TEXT',
  encryptedstring: 'TEXT',
  combobox: 'TEXT',
  time: 'TEXT',
  anyType: 'TEXT',
  int: 'NUMBER',
  long: 'NUMBER',
  double: 'NUMBER',
  currency: 'NUMBER',
  percent: 'NUMBER',
  boolean: 'BOOLEAN',
  date: 'DATE',
  datetime: 'DATETIME',
  picklist: 'CHOICE',
  multipicklist: 'CHOICES',
  reference: 'REFERENCE',
};

/** Only the name is needed. */
const wireField = z.object({
  name: wireName,
  label: optionalText,
  type: optionalText,
  custom: optionalFlag,
  filterable: optionalFlag,
  createable: optionalFlag,
  updateable: optionalFlag,
  nillable: optionalFlag,
  defaultedOnCreate: optionalFlag,
  restrictedPicklist: optionalFlag,
  unique: optionalFlag,
  length: z.number().nullish().catch(null),
  picklistValues: optionalList,
});
type WireField = z.infer<typeof wireField>;
