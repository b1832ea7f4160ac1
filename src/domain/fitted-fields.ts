import { measureSize } from '../lib/json.ts';

/** The fields of a record within a size: the longest ones are left out. */
export function fitFields(fields: Fields, limits: FieldLimits): FittedFields {
  if (Number.isFinite(measureSize(fields, limits))) return { fields, omitted: NONE };
  const { levels } = limits;
  const measured = Object.entries(fields).map(([name, value]) => ({
    name,
    size: name.length + measureSize(value, { levels: levels - 1, size: limits.size }),
  }));
  // By name where they are equal, so that each read leaves out the same.
  measured.sort((a, b) => a.size - b.size || (a.name < b.name ? -1 : 1));
  let size = 1;
  const fitting = new Set<string>();
  for (const field of measured) {
    size += field.size;
    if (size > limits.size) break;
    fitting.add(field.name);
  }
  const kept = Object.entries(fields).filter(([name]) => fitting.has(name));
  const omitted = measured.filter(({ name }) => !fitting.has(name)).map(({ name }) => name);
  return { fields: Object.fromEntries(kept), omitted: omitted.reverse() };
}

const NONE: readonly string[] = [];

type Fields = Readonly<Record<string, unknown>>;

/** The most characters and levels of all fields together. */
interface FieldLimits {
  readonly levels: number;
  readonly size: number;
}

export interface FittedFields {
  readonly fields: Fields;
  /** The names of the fields that were left out, the longest first. */
  readonly omitted: readonly string[];
}
