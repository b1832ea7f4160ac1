import * as z from 'zod';

/** Text with its description. No `format: email` anywhere: CRMs hold addresses that strict validators refuse. */
export function text(description: string, example?: string) {
  return z.string().meta(describe(description, example));
}

export function optionalText(description: string, example?: string) {
  return z.string().optional().meta(describe(description, example));
}

export function uuidText(description: string) {
  return z.string().meta({ description, format: 'uuid' });
}

export function momentText(description: string) {
  return z.string().meta({ ...describe(description, '2025-03-01T12:00:00.000Z'), format: 'date-time' });
}

export function optionalMoment(description: string) {
  return z
    .string()
    .optional()
    .meta({ ...describe(description, '2025-03-01T12:00:00.000Z'), format: 'date-time' });
}

export function enumText<const Value extends string>(
  values: readonly Value[],
  description: string,
  example?: Value,
) {
  return z.enum(values).meta(describe(description, example));
}

function describe(description: string, example: string | undefined) {
  return example === undefined ? { description } : { description, examples: [example] };
}
