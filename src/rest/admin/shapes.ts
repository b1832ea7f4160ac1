import * as z from 'zod';
import { toWebOrigin } from '../../domain/web-origin.ts';

/** Of every operation that takes no query. */
export const NO_QUERY = { query: z.strictObject({}), headers: z.object({}) };
export const NOTHING = { ...NO_QUERY, body: z.undefined() };

/** Its id, or its name where no other has it. */
export const applicationPath = z.strictObject({ application: z.string() });
export const keyPath = z.strictObject({ key_id: z.string() });

export const origins = z
  .array(
    z
      .string()
      .refine((text) => toWebOrigin(text) !== undefined, {
        error: 'must be a scheme and a host, such as https://app.example',
      })
      .transform((text) => toWebOrigin(text) ?? text),
  )
  .max(100);
