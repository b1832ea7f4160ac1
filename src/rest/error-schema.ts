import * as z from 'zod';
import { ERROR_CODES, type ErrorCode } from '../domain/errors.ts';
import { ASSOCIATED_OBJECTS } from '../domain/records/contact.ts';
import { enumText, object, optional, text } from './schemas.ts';

const CODES = Object.keys(ERROR_CODES) as ErrorCode[];

export const errorSchema = object('response', 'Error', 'One error.', {
  id: text('Id of this error instance, also in the log. Quote it to support.'),
  // The only enumerations in upper case: the specification writes them so.
  code: z.enum(CODES).describe('What went wrong.'),
  problem_type: z.enum(CODES).describe('The same as `code`.'),
  status: text('HTTP status, as a string.', '404'),
  title: text('Short summary of the error.'),
  detail: text('Detailed description of the error.'),
  meta: z
    .strictObject({
      origin: enumText(['remote-provider', 'crossbook'], 'Origin of the error.'),
      application_name: optional(z.string(), 'Name of the calling application, if it is known.'),
      cause: optional(
        z.strictObject({
          code: z.int().describe('HTTP status of the provider’s response.'),
          body: z.unknown().describe('Body of the provider’s response, truncated if it is long.'),
          headers: z
            .record(z.string(), z.string())
            .describe('Headers of the provider’s response, without secrets.'),
        }),
        'The provider’s response, if there was one.',
      ),
      retryable: z.boolean().describe('Whether the same request may succeed later.'),
      retry_after_ms: optional(z.number().min(0), 'Time to wait before a retry, in milliseconds.'),
    })
    .describe('Additional metadata about the error.'),
});

/** An element of `associations_errors`. */
export const associationErrorSchema = object(
  'response',
  'AssociationError',
  'The reason why associations with one object could not be fetched.',
  {
    ...errorSchema.shape,
    meta: errorSchema.shape.meta
      .extend({
        association: enumText(ASSOCIATED_OBJECTS, 'The object, as in associations_to_fetch.'),
      })
      .describe('Additional metadata about the error.'),
  },
);
