import { expect, test } from 'vitest';
import { CrossbookError } from '../../../src/domain/errors.ts';
import { RemoteFailure } from '../../../src/domain/remote.ts';
import { createRedactor } from '../../../src/outbound/redaction/redactor.ts';
import { VENDOR_ERRORS } from '../../fixtures/vendor-errors.ts';

/** Of the vendors' own forms: what looks like them must not be taken for them. */
const SECRETS = [
  'pat-na1-4a8f2d10-77c1-4b3e-9d5f-0c6e1b2a3d4f',
  'CPiB0vWmMRIHAAEAQAAAARjWrYQVIKq+xx0ozcF/MhQzRY5gTqGz6Z0oC3aGhLq0Vw',
  'na1-9d3b-5c7e-4f1a-8a2b-c6d7e8f90a1b',
  'AQ4AQFhxTmZbUWpLrNvYcDsEoGkIuPlQaRtMfHjXyVzBwCn.e5s1d7g3k9',
  '5Aep861TSESvWeug_x8Kd2WqLmP.rVt7ZnBhJcYs0GfXuE4oMaQi5RwNbDkTyUzHpLjC1vAeOxI9gS6',
  '5f0c1e7a-3b9d-4a26-8e71-d4c2b6a09f58',
];
const toError = createRedactor(() => SECRETS);

test('the collection has forty errors of vendors', () => {
  expect(VENDOR_ERRORS.length).toBeGreaterThanOrEqual(40);
});

test.each(VENDOR_ERRORS)('a real error with status %i stays readable: %j', async (status, body) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = { status, headers: { 'content-type': 'application/json' }, body: text };
  const error = await toError(
    new RemoteFailure('REMOTE_PROVIDER_ERROR', text.slice(0, 300), answer),
  );
  if (!(error instanceof CrossbookError)) throw new Error('It is no CrossbookError.');
  expect(error.remote).toEqual({ code: status, body, headers: answer.headers });
  expect(error.message).toBe(text.slice(0, 300));
});
