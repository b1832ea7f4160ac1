import type { Reply } from './types.ts';

/** Ends a call with one of HubSpot's error bodies. The correlation id is added when the response is built. */
export class HubSpotError extends Error {
  readonly reply: Reply;

  constructor(
    status: number,
    body: Readonly<Record<string, unknown>> & { readonly message: string },
  ) {
    super(body.message);
    this.reply = { status, body: { status: 'error', ...body } };
  }
}

export function invalid(
  message: string,
  more: Readonly<Record<string, unknown>> = {},
): HubSpotError {
  return new HubSpotError(400, { message, category: 'VALIDATION_ERROR', ...more });
}

/** The error of HubSpot's JSON parser (Jackson), which has no category. */
export function unreadable(what: string): HubSpotError {
  return new HubSpotError(400, { message: `Invalid input JSON on line 1, column 1: ${what}` });
}

export function notFound(): HubSpotError {
  return new HubSpotError(404, { message: 'resource not found', category: 'OBJECT_NOT_FOUND' });
}
