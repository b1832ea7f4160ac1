import { isRfc3339, isStorable, quote } from '../../lib/text.ts';
import type { CustomFieldType, CustomFieldValue } from '../custom-field.ts';
import { readCustomFieldValue } from '../custom-field-values.ts';
import { MAX_CHOICES, type ProviderFieldType } from '../custom-fields.ts';
import { isEmail, normalizeEmail } from '../email.ts';
import type { DescribedField } from '../writing.ts';
import { type FieldChange, toProblem } from './field-writes.ts';
import type { WriteProblem } from './write.ts';

/**
 * Checks a wanted value by the CRM's own description of the field. The value is in the form in which values of this type
 * are read, so that both can be compared.
 */
export function checkValue(
  { value, path, name }: FieldChange,
  described: DescribedField,
  isNew: boolean,
): { readonly value: CustomFieldValue } | { readonly problem: WriteProblem } {
  const { writing } = described;
  const refuse = (code: WriteProblem['code'], message: string) => ({
    problem: toProblem(code, message, path),
  });
  if (!(isNew ? writing.canCreate : writing.canUpdate))
    return refuse('READ_ONLY', `The CRM does not let ${label(name, described)} be written.`);
  if (value === null) {
    if (writing.isRequired)
      return refuse(
        'REQUIRED',
        `The CRM requires ${label(name, described)}: it cannot be cleared.`,
      );
    if (described.type === 'BOOLEAN' && !writing.canClear)
      return refuse('INVALID_VALUE', `${label(name, described)} is true or false, never null.`);
    return { value: null };
  }
  if (value === '' || (Array.isArray(value) && value.length === 0))
    return refuse('INVALID_VALUE', `${label(name, described)} is empty. Pass null to clear it.`);
  const read = READERS[described.type](value);
  if (read === undefined)
    return refuse('INVALID_VALUE', `${label(name, described)} must be ${FORMS[described.type]}.`);
  const { maxLength } = writing;
  if (typeof read === 'string' && maxLength !== null && read.length > maxLength)
    return refuse('TOO_LONG', `${label(name, described)} has at most ${maxLength} characters.`);
  const wrong = findWrongOption(read, described);
  if (wrong !== undefined) {
    const options = described.choices.slice(0, MAX_LISTED).map((choice) => choice.value);
    const more = described.choices.length > MAX_LISTED ? ' and others' : '';
    return refuse(
      'NOT_AN_OPTION',
      `${label(name, described)} has no option ${quote(wrong)}. It has ${options.join(', ')}${more}.`,
    );
  }
  return { value: read };
}

/** The input's name, with the CRM's where it is another. */
function label(name: string, { name: crmField }: DescribedField): string {
  return name.endsWith(crmField) ? `The field ${name}` : `The field ${name} (${crmField})`;
}

/** Of long lists only the beginning is known: the CRM itself checks these. */
function findWrongOption(
  read: CustomFieldValue,
  { type, choices, writing }: DescribedField,
): string | undefined {
  if (type !== 'CHOICE' && type !== 'CHOICES') return undefined;
  if (writing.takesOthers || choices.length === 0 || choices.length >= MAX_CHOICES)
    return undefined;
  const known = new Set(choices.map(({ value }) => value));
  return [read]
    .flat()
    .map(String)
    .find((one) => !known.has(one));
}

/** Reads what the CRM has, for a comparison. */
export function readCurrent(type: ProviderFieldType, value: unknown): CustomFieldValue {
  return readCustomFieldValue(READ_AS[type], value) ?? null;
}

/** Whether two values of one field are the same for a user of the CRM. */
export function isSameValue(one: CustomFieldValue, other: CustomFieldValue): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return [...one].sort().join('\n') === [...other].sort().join('\n');
  if (typeof one === 'string' && typeof other === 'string') {
    const [first, second] = [one.trim(), other.trim()];
    if (first === second) return true;
    return isEmail(normalizeEmail(first)) && normalizeEmail(first) === normalizeEmail(second);
  }
  return one === other;
}

const READ_AS: Readonly<Record<ProviderFieldType, CustomFieldType>> = {
  TEXT: 'TEXT',
  NUMBER: 'NUMBER',
  BOOLEAN: 'BOOLEAN',
  DATE: 'DATE',
  DATETIME: 'DATETIME',
  CHOICE: 'CHOICE',
  CHOICES: 'CHOICES',
  REFERENCE: 'TEXT',
  OTHER: 'TEXT',
};

type Reader = (value: unknown) => CustomFieldValue | undefined;

const READERS: Readonly<Record<ProviderFieldType, Reader>> = {
  TEXT: toStorable,
  NUMBER: (value) =>
    typeof value === 'number' || (typeof value === 'string' && DECIMAL.test(value))
      ? (readCustomFieldValue('NUMBER', value) ?? undefined)
      : undefined,
  BOOLEAN: (value) => (typeof value === 'boolean' ? value : undefined),
  DATE: (value) =>
    typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
      ? (readCustomFieldValue('DATE', value) ?? undefined)
      : undefined,
  DATETIME: (value) =>
    typeof value === 'string' && isRfc3339(value)
      ? (readCustomFieldValue('DATETIME', value) ?? undefined)
      : undefined,
  CHOICE: toStorable,
  CHOICES(value) {
    const list = Array.isArray(value) ? value : [value];
    const isList = list.every((one) => toStorable(one) !== undefined && one !== '');
    return isList && !list.some((one) => String(one).includes(';'))
      ? [...new Set(list)]
      : undefined;
  },
  REFERENCE: toStorable,
  OTHER: () => undefined,
};

function toStorable(value: unknown): string | undefined {
  return typeof value === 'string' && isStorable(value) ? value : undefined;
}

const DECIMAL = /^-?\d{1,40}(?:\.\d{1,40})?$/;

const FORMS: Readonly<Record<ProviderFieldType, string>> = {
  TEXT: 'a string',
  NUMBER: 'a number',
  BOOLEAN: 'true or false',
  DATE: 'a date such as 2026-01-31',
  DATETIME: 'a time such as 2026-01-31T10:00:00Z',
  CHOICE: 'one of its options, as a string',
  CHOICES: 'a list of its options, as strings without semicolons',
  REFERENCE: 'the id of a record, as a string',
  OTHER: 'of a type that can be written, and is not',
};
const MAX_LISTED = 20;
