import * as z from 'zod';
import { toPublicUrl } from './domain/urls.ts';

// What settings take, out of the text of the environment.

export const onOff = z.enum(['on', 'off'], 'must be on or off').transform((value) => value === 'on');
export const wholeNumber = (lowest: number, highest: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .refine((value) => value >= lowest && value <= highest, `must be from ${lowest} to ${highest}`);
export const pathPrefix = z
  .string()
  .regex(/^(\/[A-Za-z0-9._~-]+)+$/, 'must be a path such as /crm/v2, without a slash at the end');

/** `name=value,name=value`, percent-encoded, as OpenTelemetry has it. */
export const otlpHeaders = z
  .string()
  .regex(/^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$/, 'must be name=value pairs with commas between them')
  .transform((text) => Object.fromEntries(text.split(',').map(readPair)));

export const hostNames = z
  .string()
  .regex(/^[\w.-]+(,[\w.-]+)*$/, 'must be host names with commas between them, without ports')
  .transform((text) => text.split(','));

export const typePrefix = z
  .string()
  .regex(/^[A-Z][A-Za-z0-9]{0,29}_?$/, 'must be the beginning of a type name such as Crm or Crm_');

export const publicUrl = z
  .string()
  .transform((text) => toPublicUrl(text) ?? '')
  .refine(
    (url) => url !== '',
    'must be an origin such as https://crossbook.example; http only on this machine',
  );

export const MEGABYTE = 1_048_576;
export const megabytes = (lowest: number, highest: number) =>
  wholeNumber(lowest, highest).transform((value) => value * MEGABYTE);
export const perMinute = wholeNumber(0, 1_000_000_000);

function readPair(pair: string): [string, string] {
  const at = pair.indexOf('=');
  return [pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())];
}

export function setting<Schema extends z.ZodType>(
  name: string,
  schema: Schema,
  example: string,
  words = '',
): Setting<Schema> {
  return { name, schema, example, words };
}

export interface Setting<Schema extends z.ZodType = z.ZodType> {
  readonly name: string;
  readonly schema: Schema;
  readonly example: string;
  /** Empty: those of the row before speak of it too. */
  readonly words: string;
}

export interface Group {
  readonly [name: string]: Setting | Group;
}
