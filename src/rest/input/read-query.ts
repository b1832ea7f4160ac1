import type * as z from 'zod';

/**
 * From text to what a schema can judge. What cannot be read as its type stays text, what is not known stays in, and
 * what is given twice becomes a list: the schema then refuses it by name.
 */
export function readQuery(params: URLSearchParams, schema: z.ZodObject): Record<string, unknown> {
  // `getAll` looks through all of them for each name.
  const given = new Map<string, string[]>();
  for (const [name, value] of params) {
    const values = given.get(name);
    if (values) values.push(value);
    else given.set(name, [value]);
  }
  return Object.fromEntries(
    [...given].map(([name, values]) => [name, readValue(values, kindOf(schema, name))]),
  );
}

function readValue(values: readonly string[], kind: string | undefined): unknown {
  if (kind === 'array') return values.flatMap((value) => value.split(','));
  const [value = ''] = values;
  if (values.length > 1) return values;
  if (kind === 'number' && /^-?(0|[1-9]\d*)$/.test(value)) return Number(value);
  if (kind === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

function kindOf({ shape }: z.ZodObject, name: string): string | undefined {
  if (!Object.hasOwn(shape, name)) return undefined;
  let { def } = shape[name] as z.ZodType;
  while (def.type === 'optional') def = (def as z.ZodOptional<z.ZodType>['def']).innerType.def;
  return def.type;
}
