import { z } from 'zod';

/** Text with its description. No `format: email` anywhere: CRMs hold addresses that strict validators refuse. */
export function text(description: string, example?: string) {
  return z.string().meta(describe(description, example));
}

export function nullableText(description: string, example?: string) {
  return z.string().nullable().meta(describe(description, example));
}

export function uuid(description: string) {
  return z.string().meta({ description, format: 'uuid' });
}

export function nullableMoment(description: string) {
  return z
    .string()
    .nullable()
    .meta({ ...describe(description, '2025-03-01T12:00:00.000Z'), format: 'date-time' });
}

export function choice<const Value extends string>(
  values: readonly Value[],
  description: string,
  example?: Value,
) {
  return z.enum(values).meta(describe(description, example));
}

function describe(description: string, example: string | undefined) {
  return example === undefined ? { description } : { description, examples: [example] };
}
