import { toTimestamp } from '../lib/text.ts';
import type {
  CustomFieldSelection,
  CustomFieldType,
  CustomFieldValue,
  CustomFieldValues,
} from './custom-field.ts';

/** The values of the selected custom fields of one record. A field without a source is null. */
export function readCustomFieldValues(
  selection: CustomFieldSelection,
  remoteId: string,
  readSource: (source: string) => unknown,
): CustomFieldValues {
  const values = { ...blankOf(selection) };
  for (const field of selection.fields) {
    const value = readCustomFieldValue(field.type, readSource(field.source));
    if (value === undefined) selection.onProblem(field, 'TYPE_MISMATCH', remoteId);
    else values[field.name] = value;
  }
  return values;
}

/** An object of which each record gets a copy: all of them then have one hidden class. */
function blankOf(selection: CustomFieldSelection): Record<string, CustomFieldValue> {
  let blank = blanks.get(selection);
  if (!blank) {
    blank = Object.fromEntries(selection.names.map((name) => [name, null]));
    blanks.set(selection, blank);
  }
  return blank;
}

const blanks = new WeakMap<CustomFieldSelection, Record<string, CustomFieldValue>>();

/**
 * Reads a CRM's value as one of this type. Lenient: a CRM may send every value as a string, and older integrations have
 * written dates as milliseconds. Undefined if the value does not fit the type.
 */
export function readCustomFieldValue(
  type: CustomFieldType,
  value: unknown,
): CustomFieldValue | undefined {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' && value.trim() === '') return null;
  return READERS[type](value);
}

type Reader = (value: unknown) => CustomFieldValue | undefined;

const READERS: Readonly<Record<CustomFieldType, Reader>> = {
  TEXT: readText,
  NUMBER: readNumber,
  BOOLEAN: readBoolean,
  DATE: readDate,
  DATETIME: (value) => readMoment(value) ?? undefined,
  CHOICE: readText,
  CHOICES: readChoices,
};

function readText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function readNumber(value: unknown): number | undefined {
  const number =
    typeof value === 'string' && value.length <= MAX_DIGITS && NUMBER.test(value.trim())
      ? Number(value)
      : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const MAX_DIGITS = 400;

function readBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return undefined;
  const text = value.trim().toLowerCase();
  return text === 'true' ? true : text === 'false' ? false : undefined;
}

/** Of a time, the day in UTC. */
function readDate(value: unknown): string | undefined {
  return readMoment(value)?.slice(0, 10);
}

function readMoment(value: unknown): string | null {
  const text = readText(value)?.trim() ?? '';
  if (MILLISECONDS.test(text)) return toTimestamp(Number(text));
  // `Date` takes the 30th of February for the 2nd of March.
  const [, day] = DAY.exec(text) ?? [];
  return day !== undefined && isDay(day) ? toTimestamp(text) : null;
}

/** From the second day of 1970, and before it. Shorter numbers are years and the like. */
const MILLISECONDS = /^(?:0|-?\d{8,15})$/;
const DAY = /^(\d{4}-\d\d-\d\d)/;

function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** CRMs separate values by semicolons, in no certain order; parts may be empty. */
function readChoices(value: unknown): readonly string[] | null | undefined {
  const parts = Array.isArray(value) ? value : readText(value)?.split(';', MAX_VALUES);
  if (!parts?.every((part) => typeof part === 'string')) return undefined;
  const values = [...new Set(parts.map((part) => part.trim()))].filter((part) => part !== '');
  return values.length > 0 ? values : null;
}

const MAX_VALUES = 1_000;
