import * as z from 'zod';
import type { Customer } from '../../domain/customer.ts';

/** A customer's version is its ETag. Nine digits are more upserts than any customer will see. */
export const versionHeaders = z
  .object({
    'if-match': z
      .string()
      .regex(/^"\d{1,9}"$/, { error: 'must be one version in double quotes, as ETag gives it' })
      .optional()
      .meta({
        description: 'The version to change, as ETag gave it: 409 is the answer where it is another by now.',
        examples: ['"3"'],
      }),
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
  if (headers['if-none-match'] !== undefined) return 0;
  return headers['if-match'] === undefined ? undefined : Number(headers['if-match'].slice(1, -1));
}

export function toETag({ version }: Customer): string {
  return `"${version}"`;
}
