import * as z from 'zod';
import { ERROR_CODES, type ErrorCode } from '../../domain/errors.ts';
import { enumText, text } from './fields.ts';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

export const errorShape = z
  .strictObject({
    id: text('Names this very error: give it to support, the log has it too.'),
    code: enumText(CODES, 'What went wrong.'),
    problem_type: enumText(CODES, 'The same as `code`.'),
    status: text('The HTTP status, as text.', '404'),
    title: text('What went wrong, in a few words.'),
    detail: text('What went wrong, and where.'),
    meta: z
      .strictObject({
        origin: enumText(['remote-provider', 'crossbook'], 'Where the error comes from.'),
        application_name: z
          .string()
          .optional()
          .describe('The calling application’s name, where it is known already.'),
        cause: z
          .strictObject({
            code: z.int().describe('The provider’s HTTP status.'),
            body: z.unknown().describe('The provider’s answer, cut where it is long.'),
            headers: z.record(z.string(), z.string()).describe('The provider’s headers, secrets left out.'),
          })
          .optional()
          .describe('What the provider answered, where it did.'),
        retryable: z.boolean().describe('Can the same request succeed later?'),
        retry_after_ms: z.number().min(0).optional().describe('When to try again, in milliseconds from now.'),
      })
      .describe('More about the error.'),
  })
  .describe('One error.');

export const errorsShape = z
  .strictObject({ errors: z.array(errorShape).describe('What went wrong.') })
  .describe('Every answer that is not a success.');
