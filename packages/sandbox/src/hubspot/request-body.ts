import { readJson } from '../http.ts';
import { unreadable } from './errors.ts';
import type { HubSpotCall } from './types.ts';

/** Validates the body as strictly as the live service is known to. */
export function objectBody({ request }: HubSpotCall): Readonly<Record<string, unknown>> {
  const value = readJson(request);
  if (!isObject(value)) throw unreadable('Cannot deserialize value of type `PublicRequest`');
  return value;
}

export function listOf(value: unknown, what: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value))
    throw unreadable(`Cannot deserialize value of type \`java.util.List\` (${what})`);
  return value;
}

export function textsOf(value: unknown, what: string): readonly string[] | undefined {
  if (value === undefined || value === null) return undefined;
  return listOf(value, what).map((item) => textOf(item, what));
}

/** Numbers and booleans are accepted as strings, as HubSpot does. */
export function textOf(value: unknown, what: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw unreadable(`Cannot deserialize value of type \`java.lang.String\` (${what})`);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
