import { type FittedFields, fitFields } from '../domain/fitted-fields.ts';
import { RAW_LIMITS } from '../domain/records/record.ts';
import { ResponseTooLarge } from '../domain/remote.ts';
import type { SyncedRecord } from '../domain/sync.ts';
import { isRecord, measureSize } from '../lib/json.ts';

/**
 * Reads a record that is larger than any response that is read: some fields at a time, in ever smaller parts. Leaves out
 * the longest fields, so that the record takes no more memory than a response does. Undefined if the record is gone.
 */
export async function readInParts(
  names: readonly string[],
  { maxBytes, read }: PartsOptions,
): Promise<FittedFields | undefined> {
  const limits = { levels: MAX_LEVELS, size: Math.floor(maxBytes / 2) };
  const waiting = split(names);
  let fields: FittedFields['fields'] = {};
  const tooLong: string[] = [];
  const omitted: string[] = [];
  for (let calls = 0, part = waiting.shift(); part; calls += 1, part = waiting.shift()) {
    const values = calls < MAX_CALLS ? await readPart(part, read) : 'too large';
    if (values === undefined) return undefined;
    if (values !== 'too large') {
      const fitted = fitFields(merge(fields, values), limits);
      fields = fitted.fields;
      omitted.push(...fitted.omitted);
    } else if (part.length === 1 || calls >= MAX_CALLS) tooLong.push(...part);
    else waiting.unshift(...split(part));
  }
  return { fields, omitted: [...tooLong, ...omitted] };
}

async function readPart(
  names: readonly string[],
  read: PartsOptions['read'],
): Promise<FittedFields['fields'] | undefined | 'too large'> {
  try {
    return await read(names);
  } catch (error) {
    if (error instanceof ResponseTooLarge) return 'too large';
    throw error;
  }
}

function split(names: readonly string[]): (readonly string[])[] {
  if (names.length < 2) return [names];
  const half = Math.ceil(names.length / 2);
  return [names.slice(0, half), names.slice(half)];
}

/** Fields of a related record may come in several parts. */
function merge(fields: FittedFields['fields'], values: FittedFields['fields']) {
  const merged: Record<string, unknown> = { ...fields };
  for (const [name, value] of Object.entries(values)) {
    const known = merged[name];
    merged[name] = isRecord(known) && isRecord(value) ? { ...known, ...value } : value;
  }
  return merged;
}

/** The fields of a record's raw data within its limits. `rest`: what else the record has. */
export function fitRawFields(
  fields: FittedFields['fields'],
  rest: Readonly<Record<string, unknown>> = {},
): FittedFields {
  const levels = RAW_LIMITS.levels - 1;
  const size = RAW_LIMITS.size - 'properties'.length - measureSize(rest, RAW_LIMITS);
  return fitFields(fields, { levels, size });
}

export function withOmitted(record: SyncedRecord, omitted: readonly string[]): SyncedRecord {
  return omitted.length > 0 ? { ...record, omittedFields: omitted } : record;
}

const MAX_LEVELS = 64;
/** A record of a hundred megabytes takes as many. The fields that are not read by then are left out. */
const MAX_CALLS = 200;

interface PartsOptions {
  /** The largest response that is read. */
  readonly maxBytes: number;
  /** Some fields of the record. Undefined if it is gone. */
  read(names: readonly string[]): Promise<FittedFields['fields'] | undefined>;
}
