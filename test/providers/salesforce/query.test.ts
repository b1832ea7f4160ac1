import { describe, expect, test } from 'vitest';
import { CrossbookError } from '../../../src/domain/errors.ts';
import { fc } from '../../support/fast-check.ts';
import { composite, json, openScripted, refusal, rows, type Scripted } from './scripted-send.ts';

const EMAIL = 'ada@example.com';
const NEXT = '/services/data/v66.0/query/01gRO0000016PIAYA2-200';

function find(...answers: readonly Scripted[]) {
  const { port, requests } = openScripted(answers);
  return {
    requests,
    found: port.findByKey([EMAIL], { rawData: false }).then((map) => map.get(EMAIL)),
  };
}

const person = (number: number) => ({ Id: `003RO00000000${number}YAA`, Email: EMAIL });

describe('paging', () => {
  test('follows the pages to the last one', async () => {
    const { found, requests } = find(rows([person(10)], NEXT), rows([], NEXT), rows([person(11)]));
    expect((await found)?.map(({ remoteId }) => remoteId)).toEqual([
      '003RO0000000010YAA',
      '003RO0000000011YAA',
    ]);
    expect(requests.slice(1).map(({ method, path }) => `${method} ${path}`)).toEqual([
      `GET ${NEXT}`,
      `GET ${NEXT}`,
    ]);
  });

  test('starts again, once, when the cursor has expired', async () => {
    const expired = refusal(400, 'INVALID_QUERY_LOCATOR', 'invalid query locator');
    const { found, requests } = find(
      rows([person(10)], NEXT),
      expired,
      rows([person(10), person(11)]),
    );
    expect(await found).toHaveLength(2);
    expect(requests).toHaveLength(3);
    await expect(
      find(rows([person(10)], NEXT), expired, rows([], NEXT), expired).found,
    ).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_ERROR',
      remote: { code: 400 },
    });
  });

  test.each([
    'https://evil.example/services/data/v66.0/query/x',
    '//evil.example/services/data/v66.0/query/x',
    '/services/data/../../secur/logout.jsp',
    '/services/data/v66.0/query/../sobjects',
    '/services/oauth2/token',
    '/services/data/v66.0/query/..',
    '/services/data/v66.0/query/',
    '/services/data/v66.0/query/x\n',
    '/services/data/v66.0//query/x',
    '/services/data/v66.0/query/%2e%2e/x',
    '/services/data/v66.0/query/x?y=z',
    '/services/data/v66.0/query/x@evil.example',
    '/services/data/v66.0/query/x\\y',
    '',
    null,
    7,
    {},
    `/services/data/v66.0/query/${'x'.repeat(3_000)}`,
    '/services/data/v66.0/query/x\r\nHost: evil.example',
  ])('does not follow %j', async (next) => {
    const { found, requests } = find(rows([person(10)], next));
    await expect(found).rejects.toMatchObject({ code: 'REMOTE_PROVIDER_BAD_RESPONSE' });
    expect(requests).toHaveLength(1);
  });

  test('ends, even if the pages do not', async () => {
    await expect(
      find(...Array.from({ length: 1_000 }, () => rows([], NEXT))).found,
    ).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_ERROR',
    });
  });

  test('fails instead of truncating a result of more than 20,000 rows', async () => {
    const page = rows(
      Array.from({ length: 2_000 }, () => person(10)),
      NEXT,
    );
    await expect(find(...Array.from({ length: 12 }, () => page)).found).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_ERROR',
    });
  });
});

describe('a response', () => {
  test.each([
    '',
    'null',
    '[]',
    '"x"',
    '{}',
    '{"records":[]',
    '<html></html>',
    '{"totalSize":1,"done":true}',
    '{"totalSize":1,"done":true,"records":{}}',
    '{"totalSize":"1","done":true,"records":[]}',
    '{"totalSize":1,"records":[]}',
    '{"totalSize":1,"done":false,"records":[]}',
  ])('with %j is a bad response, which is in the error', async (body) => {
    await expect(find({ status: 200, body }).found).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_BAD_RESPONSE',
      remote: { code: 200 },
    });
  });

  test('with any content fails with a documented error', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.jsonValue(), fc.string()),
        fc.constantFrom(200, 204, 302, 400, 500),
        async (body, status) => {
          const outcome = await find(json(body, status)).found.catch((error: unknown) => error);
          if (!Array.isArray(outcome)) expect(outcome).toBeInstanceOf(CrossbookError);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('a composite call', () => {
  const emails = Array.from(
    { length: 100 },
    (_, index) => `person.number.${index}@some-company.example`,
  );
  const findMany = (...answers: readonly Scripted[]) =>
    openScripted(answers).port.findByKey(emails, { rawData: false });

  test('fails with the status of a failed part', async () => {
    const failed = composite(
      refusal(403, 'REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.'),
    );
    await expect(findMany(failed)).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_RATE_LIMITED',
      remote: { code: 403, headers: { 'sforce-limit-info': 'api-usage=1/15000' } },
    });
  });

  test('continues with the further pages of a part', async () => {
    const found = await findMany(
      composite(rows([{ Id: '003RO0000000010YAA', Email: emails[0] }], NEXT)),
      rows([{ Id: '003RO0000000011YAA', Email: emails[1] }]),
    );
    expect([...found.values()].filter((contacts) => contacts.length > 0)).toHaveLength(2);
  });

  test.each([
    {},
    { compositeResponse: [] },
    { compositeResponse: [{}] },
    { compositeResponse: [{ httpStatusCode: 200, body: {} }] },
    { compositeResponse: [{ httpStatusCode: 200 }] },
    { compositeResponse: 'x' },
  ])('with %j is a bad response', async (body) => {
    await expect(findMany(json(body))).rejects.toMatchObject({
      code: 'REMOTE_PROVIDER_BAD_RESPONSE',
    });
  });
});
