import { describe, expect, test } from 'vitest';
import type { CrossbookError, ErrorCode } from '../../../src/domain/errors.ts';
import { readFailure, toRemoteFailure } from '../../../src/providers/salesforce/call.ts';
import { fc } from '../../support/fast-check.ts';
import { toError } from '../../support/redacted.ts';

const array = (errorCode: string, message = 'No') => JSON.stringify([{ message, errorCode }]);
const refuse = async (status: number, body: string, headers = {}) =>
  (await toError(toRemoteFailure({ status, headers, body }))) as CrossbookError;

describe('an error response', () => {
  const cases: [number, string, ErrorCode][] = [
    [401, array('INVALID_SESSION_ID'), 'REMOTE_PROVIDER_UNAUTHORIZED'],
    [401, '', 'REMOTE_PROVIDER_UNAUTHORIZED'],
    [
      403,
      array('REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.'),
      'REMOTE_PROVIDER_RATE_LIMITED',
    ],
    [
      ...([
        403,
        array('REQUEST_LIMIT_EXCEEDED', 'ConcurrentPerOrgLongTxn Limit exceeded.'),
      ] as const),
      'REMOTE_PROVIDER_RATE_LIMITED',
    ],
    [403, array('API_DISABLED_FOR_ORG'), 'REMOTE_PROVIDER_FORBIDDEN'],
    [403, array('INSUFFICIENT_ACCESS'), 'REMOTE_PROVIDER_FORBIDDEN'],
    [429, 'slow down', 'REMOTE_PROVIDER_RATE_LIMITED'],
    [400, array('QUERY_TIMEOUT'), 'REMOTE_PROVIDER_TIMEOUT'],
    [400, array('MALFORMED_QUERY'), 'REMOTE_PROVIDER_ERROR'],
    [404, array('NOT_FOUND'), 'REMOTE_PROVIDER_ERROR'],
    [409, array('CONFLICT'), 'REMOTE_PROVIDER_ERROR'],
    [410, array('UNSUPPORTED_API_VERSION'), 'REMOTE_PROVIDER_ERROR'],
    [414, '<html><body>URI Too Long</body></html>', 'REMOTE_PROVIDER_ERROR'],
    [431, '<html><body>Too large</body></html>', 'REMOTE_PROVIDER_ERROR'],
    [420, "<html>We've hit a snag</html>", 'REMOTE_PROVIDER_UNAVAILABLE'],
    [500, array('UNKNOWN_EXCEPTION'), 'REMOTE_PROVIDER_UNAVAILABLE'],
    [502, '<html></html>', 'REMOTE_PROVIDER_UNAVAILABLE'],
    [503, array('SERVER_UNAVAILABLE'), 'REMOTE_PROVIDER_UNAVAILABLE'],
    [302, '', 'REMOTE_PROVIDER_ERROR'],
  ];

  test.each(cases)('with %d %s is %s', async (status, body, code) => {
    expect((await refuse(status, body)).code).toBe(code);
  });

  test('is included in the error, without cookies', async () => {
    const error = await refuse(
      403,
      array('REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.'),
      {
        'set-cookie': 'BrowserId=secret',
        'sforce-limit-info': 'api-usage=5000/5000',
      },
    );
    expect(error.remote).toEqual({
      code: 403,
      body: [{ message: 'TotalRequests Limit exceeded.', errorCode: 'REQUEST_LIMIT_EXCEEDED' }],
      headers: { 'sforce-limit-info': 'api-usage=5000/5000' },
    });
    expect(error.message).toBe(
      'Salesforce responded with 403 REQUEST_LIMIT_EXCEEDED: TotalRequests Limit exceeded.',
    );
    expect(error.retryAfterMs).toBe(60_000);
  });

  test.each([
    [{ 'retry-after': '7' }, 7_000],
    [
      { 'retry-after': 'Fri, 20 Nov 2026 10:00:30 GMT', date: 'Fri, 20 Nov 2026 10:00:00 GMT' },
      30_000,
    ],
    [{ 'retry-after': 'Fri, 20 Nov 2026 09:00:00 GMT', date: 'Fri, 20 Nov 2026 10:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
  ])('with %j gives %j ms to wait', async (headers, wait) => {
    expect((await refuse(503, '', headers)).retryAfterMs).toBe(wait);
  });
});

describe('the code of an error response', () => {
  test.each([
    ['[{"message":"a","errorCode":"B"}]', 'B', 'a'],
    ['[{"errorCode":"B","message":"a","fields":["Id"]}]', 'B', 'a'],
    ['{"error":"invalid_grant","error_description":"expired"}', 'invalid_grant', 'expired'],
    ['<Errors><Error><errorCode>B</errorCode><message>a</message></Error></Errors>', 'B', 'a'],
    ['<html><body>Sorry</body></html>', null, null],
    ['plain words', null, 'plain words'],
    ['[]', null, null],
    ['', null, null],
    ['[{"errorCode":7,"message":{}}]', null, null],
  ])('is read from %s', (body, errorCode, message) => {
    expect(readFailure(body)).toEqual({ errorCode, message });
  });

  test('is read from any input without an exception', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.json(), fc.string()), async (body) => {
        readFailure(body);
        await refuse(400, body);
      }),
    );
  });
});
