import * as z from 'zod';

/** Text with its description. No `format: email` anywhere: CRMs hold addresses that strict validators refuse. */
export function text(description: string, example?: string) {
  return z.string().meta(describe(description, example));
}

function nullableText(description: string, example?: string) {
  return z.string().nullable().meta(describe(description, example));
}

export function optionalText(description: string, example?: string) {
  return z.string().optional().meta(describe(description, example));
}

/** Absent in answers where there is no value. In requests null means the same as absent. */
function absentOrNull<Output, Input>(shape: z.ZodType<Output, Input>) {
  const given: z.ZodType = shape.nullish().transform((value) => value ?? undefined);
  // What a shape has made of its input, it also accepts.
  return z.pipe(given, shape.optional()) as unknown as AbsentOrNull<Output, Input>;
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

type AbsentOrNull<Output, Input> = z.ZodPipe<
  z.ZodOptional<z.ZodNullable<z.ZodType<Output, Input>>>,
  z.ZodOptional<z.ZodType<Output, Output>>
>;

function describe(description: string, example: string | undefined) {
  return example === undefined ? { description } : { description, examples: [example] };
}
