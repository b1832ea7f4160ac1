import type { Reply } from './types.ts';

/** Ends a call with one of Pipedrive's error bodies. */
export class PipedriveError extends Error {
  readonly reply: Reply;

  constructor(status: number, error: string, more: Readonly<Record<string, unknown>> = {}) {
    super(error);
    const info = 'Please check developers.pipedrive.com for more information about Pipedrive API.';
    this.reply = { status, body: { success: false, error, error_info: info, data: null, ...more } };
  }
}

export function invalid(message: string): PipedriveError {
  return new PipedriveError(400, message, { code: 'ERR_SCHEMA_VALIDATION_FAILED' });
}

export function notFound(what: string): PipedriveError {
  return new PipedriveError(404, `${what} not found`, { code: 'ERR_NOT_FOUND' });
}

export function gone(what: string): PipedriveError {
  return new PipedriveError(410, `${what} was deleted`);
}

export function unauthorized(): PipedriveError {
  return new PipedriveError(401, 'unauthorized access', { errorCode: 401 });
}

export function missingScope(): PipedriveError {
  return new PipedriveError(403, 'Scope and URL mismatch');
}
