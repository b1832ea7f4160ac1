import * as z from 'zod';
import type { Customer } from '../../domain/customer.ts';
import { digest } from '../../lib/digest.ts';

export const ifMatch = z
  .string()
  .regex(/^"\d{1,9}(-[\w-]{1,64})?"$/, { error: 'must be one version in double quotes, as ETag gives it' })
  .optional()
  .meta({
    description: 'The version to change, as ETag gave it: 409 is the answer where it is another by now.',
    examples: ['"3"'],
  });

/** A customer's version is its ETag. Nine digits are more upserts than any customer will see. */
export const versionHeaders = z
  .object({
    'if-match': ifMatch,
    'if-none-match': z
      .literal('*', { error: 'must be *' })
      .optional()
      .describe('`*`: the customer must not exist yet, else 409 is the answer.'),
  })
  .refine((headers) => headers['if-match'] === undefined || headers['if-none-match'] === undefined, {
    path: ['if-none-match'],
    error: 'makes no sense together with if-match',
  });

export function readExpectedVersion(headers: z.output<typeof versionHeaders>): number | undefined {
  return headers['if-none-match'] === undefined ? readEntityVersion(headers['if-match']) : 0;
}

export function readEntityVersion(tag: z.output<typeof ifMatch>): number | undefined {
  return tag === undefined ? undefined : Number.parseInt(tag.slice(1), 10);
}

/**
 * Of a customer with connections it also says what these are: a status changes without a new version. A change by
 * `If-Match` goes by the version alone.
 */
export function toETag({ version, connections }: Customer): string {
  if (connections.length === 0) return `"${version}"`;
  return `"${version}-${digest(JSON.stringify(connections)).slice(0, 10)}"`;
}
