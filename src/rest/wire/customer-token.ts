import * as z from 'zod';
import { DEFAULT_TOKEN_SECONDS, MAX_TOKEN_SECONDS } from '../../domain/customer-token.ts';
import { PROVIDER_NAMES } from '../../domain/provider-names.ts';
import { text } from './fields.ts';

export const tokenRequestShape = z
  .strictObject({
    expires_in_seconds: z
      .int()
      .min(1)
      .max(MAX_TOKEN_SECONDS)
      .optional()
      .describe(
        `How long the token lives, at most a day; ${DEFAULT_TOKEN_SECONDS} seconds where it is absent.`,
      ),
    providers: z
      .array(z.enum(PROVIDER_NAMES))
      .optional()
      .describe('The only providers that the token may search. Absent: all of the customer’s.'),
  })
  .describe('How far a token reaches.');

export const tokenShape = z
  .strictObject({
    token: text('For the header Authorization, behind "Bearer ".', 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl'),
    expires_at: z.string().meta({ description: 'When the token ends.', format: 'date-time' }),
  })
  .describe('A token of one customer, shown this once.');

export const EXAMPLE_TOKEN: z.output<typeof tokenShape> = {
  token: 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl',
  expires_at: '2025-03-01T13:00:00.000Z',
};
