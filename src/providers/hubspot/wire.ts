import * as z from 'zod';

// Envelopes only: a record's own fields are read by a mapper that takes whatever comes, because validating twenty
// properties of a thousand contacts would cost more than everything else that is done with them.
/** Ids are documented as strings and some are sent as numbers. */
const id = z.union([z.string(), z.number()]).transform(String);

const paging = z.object({ next: z.object({ after: id.nullish() }).nullish() }).nullish();

/** Most of what is read, so it is looked at and not copied. Undefined for anything else. */
export function toRecords(json: unknown): readonly unknown[] | undefined {
  const results = typeof json === 'object' && json !== null && 'results' in json ? json.results : undefined;
  return Array.isArray(results) ? results : undefined;
}

const wireSearchPage = z.object({
  total: z.number().nullish(),
  results: z.array(z.unknown()),
  paging,
});
export type WireSearchPage = z.infer<typeof wireSearchPage>;
export const toSearchPage = readAs(wireSearchPage);

const wireAssociations = z.object({
  results: z.array(
    z.object({
      from: z.object({ id }),
      to: z.array(z.object({ toObjectId: id })).nullish(),
      paging,
    }),
  ),
});
export type WireAssociations = z.infer<typeof wireAssociations>;
export const toLinks = readAs(wireAssociations);

/** Every field of a refusal is optional, and so is its being one at all. */
export const wireProblem = z
  .object({
    message: z.string().nullish().catch(null),
    category: z.string().nullish().catch(null),
    errorType: z.string().nullish().catch(null),
    policyName: z.string().nullish().catch(null),
    context: z.record(z.string(), z.array(z.unknown())).nullish().catch(null),
  })
  .catch({});
export type WireProblem = z.infer<typeof wireProblem>;

/** What went wrong with parts of a batch. */
export const wireProblems = z.object({ errors: z.array(wireProblem).nullish().catch([]) }).catch({});

export const wireToken = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).nullish(),
  expires_in: z.coerce.number().positive().nullish().catch(null),
});

/** What the token endpoint and introspection say of whoever granted: the older the version, the less of it. */
export const wireGranted = z
  .object({
    hub_id: id.nullish().catch(null),
    hub_domain: z.string().nullish().catch(null),
    user_id: id.nullish().catch(null),
    scopes: z.array(z.string()).nullish().catch(null),
    active: z.boolean().nullish().catch(null),
  })
  .catch({});

export const wireTokenProblem = z
  .object({
    error: z.string().nullish().catch(null),
    error_description: z.string().nullish().catch(null),
    status: z.string().nullish().catch(null),
    message: z.string().nullish().catch(null),
  })
  .catch({});

function readAs<Shape extends z.ZodType>(shape: Shape): (json: unknown) => z.output<Shape> | undefined {
  return (json) => shape.safeParse(json).data;
}
