import { describe, expect, test } from 'vitest';
import { CrossbookError } from '../../../src/domain/errors.ts';
import { type ProviderResponse, RemoteFailure } from '../../../src/domain/remote.ts';
import { createRedactor } from '../../../src/outbound/redaction/redactor.ts';
import { fc } from '../../support/fast-check.ts';
import { SPELLINGS } from '../../support/spellings.ts';

const SECRETS = [
  'pat-na1-4a8f2d10-77c1-4b3e-9d5f-0c6e1b2a3d4f',
  'CPiB0vWmMRIHAAEAQAAAARjWrYQVIKq+xx0ozcF/MhQzRY5gTqGz6Z0oC3aGhLq0Vw',
  '5Aep861TSESvWeug_x8Kd2WqLmP.rVt7ZnBhJcYs0GfXuE4oMaQi5RwNbDkTyUzHpLjC1vAeOxI9gS6',
  'client-secret',
  'short-1',
];
const toError = createRedactor(() => SECRETS);

const CARRIERS: readonly (readonly [string, (text: string) => Partial<ProviderResponse>])[] = [
  [
    'a JSON value',
    (text) => ({ body: JSON.stringify({ status: 'error', message: text, id: 'abc' }) }),
  ],
  [
    'a JSON key',
    (text) => ({ body: JSON.stringify({ status: 'error', context: { [text]: ['x'] } }) }),
  ],
  [
    'a list deep in JSON',
    (text) => ({ body: JSON.stringify([{ errors: [{ context: { at: [1, text] } }] }]) }),
  ],
  ['HTML', (text) => ({ body: `<html><body><h1>Not today</h1><p>${text}</p></body></html>` })],
  [
    'JSON that breaks off',
    (text) => ({ body: `{"status":"error","message":${JSON.stringify(text)},"x` }),
  ],
  ['a header', (text) => ({ headers: { 'x-echo': text, 'x-request-id': 'r1' } })],
  [
    'JSON that is cut',
    (text) => ({ body: JSON.stringify({ message: text, more: 'y'.repeat(40_000) }) }),
  ],
];

describe.each(SECRETS)('the secret %s', (secret) => {
  const spellings = Object.entries(SPELLINGS).filter(
    ([name]) => secret.length > 20 || !name.startsWith('without'),
  );

  test.each(spellings)('is redacted in the body, spelled as: %s', async (_name, spell) => {
    const text = spell(secret);
    for (const [where, toAnswer] of CARRIERS) {
      const error = await show({ ...toAnswer(text) });
      expect(JSON.stringify(error.remote), where).not.toContain(JSON.stringify(text).slice(1, -1));
      expect(JSON.stringify(error.remote), where).toContain('[withheld]');
    }
  });

  test.each(spellings)('is redacted in the detail, spelled as: %s', async (_name, spell) => {
    const error = await show({}, `HubSpot responded with 400: ${spell(secret)}`);
    expect(error.message).toBe('The provider responded with 400: [withheld]');
  });

  test('is redacted in pieces: in two values, in many, in a key and its value', async () => {
    const half = secret.length / 2;
    const pieces = secret.match(/.{1,5}/g) ?? [];
    const bodies = [
      { a: secret.slice(0, half), b: secret.slice(half) },
      { a: { b: secret.slice(0, half) }, c: [secret.slice(half)] },
      Object.fromEntries(pieces.map((piece, index) => [String.fromCharCode(97 + index), piece])),
      { [secret.slice(0, half)]: secret.slice(half) },
      { a: toBase64(secret.slice(0, half)), b: toBase64(secret.slice(half)) },
    ];
    for (const body of bodies)
      expect((await show({ body: JSON.stringify(body) })).remote?.body).toBe('[withheld]');
    const [one, two] = [secret.slice(0, half), secret.slice(half)];
    expect((await show({ headers: { 'x-one': one, 'x-two': two } })).remote?.headers).toEqual({});
  });
});

test('text beside a secret is kept', async () => {
  const body = {
    status: 'error',
    message: `Bad ${SECRETS[0]}`,
    correlationId: 'c-1',
    errors: [{ in: 'x' }],
  };
  expect((await show({ body: JSON.stringify(body) })).remote?.body).toEqual({
    ...body,
    message: '[withheld]',
  });
});

test('values with the name of a secret are redacted, although they are unknown', async () => {
  const body = { error: 'x', access_token: 'made-a-moment-ago', refreshToken: 'and-this' };
  expect((await show({ body: JSON.stringify(body) })).remote?.body).toEqual({
    error: 'x',
    access_token: '[withheld]',
    refreshToken: '[withheld]',
  });
});

test('eleven characters of a secret are not redacted, twelve are', async () => {
  const letters = (SECRETS[0] ?? '').replaceAll('-', '');
  const show1 = async (length: number) =>
    (await show({ body: JSON.stringify({ at: letters.slice(0, length) }) })).remote?.body;
  expect(await show1(11)).toEqual({ at: letters.slice(0, 11) });
  expect(await show1(12)).toEqual({ at: '[withheld]' });
});

test('a secret of a few letters is redacted where it is a word', async () => {
  const shorten = createRedactor(() => ['t', 'ab-1']);
  const say = async (message: string) =>
    ((await shorten(new CrossbookError('REMOTE_PROVIDER_TIMEOUT', message))) as Error).message;
  expect(await say('No answer in time.')).toBe('No answer in time.');
  expect(await say('The token "t" is not valid.')).toBe('[withheld]');
  for (const spelled of ['ab1', 'AB-1'])
    expect(await say(`Not ${spelled}, please.`)).toBe('[withheld]');
  expect(await say('See xab12.')).toBe('See xab12.');
});

test('headers are kept, except those with cookies or credentials', async () => {
  const headers = {
    'content-type': 'application/json',
    via: '1.1 x',
    'x-evil': 'y',
    'strict-transport-security': 'z',
    'x-ratelimit-foo': '1',
    'sforce-limit-info': 'api-usage=1/2',
    'www-authenticate': 'Token',
  };
  const secret = {
    'set-cookie': 'BrowserId=1',
    authorization: 'x',
    'x-csrf-token': 'y',
    'x-api-key': 'z',
  };
  expect((await show({ headers: { ...headers, ...secret } })).remote?.headers).toEqual(headers);
});

describe('a body of more than 16 KiB', () => {
  const cut = async (body: string) => (await show({ body })).remote?.body;

  test('is truncated between characters, with a note', async () => {
    for (let shift = 0; shift < 4; shift += 1) {
      const shown = String(await cut('a'.repeat(shift) + '😀'.repeat(10_000)));
      expect(shown).not.toContain('\ufffd');
      expect(shown).toMatch(/ \[cut: the first \d+ of \d+ bytes\]$/);
      expect(Buffer.byteLength(shown)).toBeLessThan(16 * 1024 + 60);
    }
  });

  test('stays JSON if it was JSON: open brackets are closed, and the note is at the cut', async () => {
    const long = 'y'.repeat(40_000);
    expect(await cut(JSON.stringify({ a: 1, b: [{ c: long }] }))).toEqual({
      a: 1,
      b: [{ c: expect.stringMatching(/^y{16000,} \[cut: the first 16384 of \d+ bytes\]$/) }],
    });
    const list = (await cut(
      JSON.stringify(Array.from({ length: 5_000 }, (_, index) => ({ index }))),
    )) as unknown[];
    expect(list.slice(0, 2)).toEqual([{ index: 0 }, { index: 1 }]);
    expect(JSON.stringify(list.at(-1))).toContain('[cut: the first 16384');
  });

  test('stays JSON for any JSON and any position of the cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue({ maxDepth: 4 }),
        fc.nat({ max: 16_383 }),
        async (json, fill) => {
          const value = { fill: 'x"\\'.repeat(fill / 6), json, more: ['z'.repeat(17_000)] };
          expect(await cut(JSON.stringify(value))).toMatchObject({ fill: expect.any(String) });
        },
      ),
      { numRuns: 200 },
    );
  });

  test('is processed in linear time: ten thousand levels, quotes, brackets', async () => {
    for (const body of [
      '['.repeat(20_000),
      '{"a":'.repeat(10_000),
      '"\\'.repeat(20_000),
      '<'.repeat(20_000),
    ]) {
      expect(JSON.stringify(await cut(body)).length).toBeLessThan(40_000);
    }
  });
});

test('a bug whose message quotes a secret loses its message', async () => {
  const bug = new SyntaxError(`Unexpected token in "${SECRETS[0]}"`);
  expect(((await toError(bug)) as Error).message).toBe('[withheld]');
  const harmless = new TypeError('x is not a function');
  expect(await toError(harmless)).toBe(harmless);
});

test('an error of ours whose message quotes a secret loses its message, and keeps the rest', async () => {
  const quoting = new CrossbookError('REMOTE_PROVIDER_TIMEOUT', `No answer to ${SECRETS[0]}.`, {
    retryAfterMs: 5,
  });
  const shown = { code: 'REMOTE_PROVIDER_TIMEOUT', message: '[withheld]', retryAfterMs: 5 };
  expect(await toError(quoting)).toMatchObject(shown);
  const harmless = new CrossbookError('REMOTE_PROVIDER_TIMEOUT', 'No answer in time.');
  expect(await toError(harmless)).toBe(harmless);
});

test('harmless messages are checked again when there is another secret', async () => {
  const lists = [['secret-one'], ['secret-one', 'secret-two'], ['secret-one', 'secret-two']];
  let secrets = lists[0] ?? [];
  const show = createRedactor(() => secrets);
  const say = (detail: string) => show(new CrossbookError('REMOTE_PROVIDER_TIMEOUT', detail));
  for (const _time of [1, 2])
    expect(await say('No answer to secret-two.')).toMatchObject({
      message: 'No answer to secret-two.',
    });
  for (const list of lists.slice(1)) {
    secrets = list;
    expect(await say('No answer to secret-two.')).toMatchObject({ message: '[withheld]' });
    // This message is still harmless: caching it again must not restore the cached verdict of the other.
    expect(await say('No answer in time.')).toMatchObject({ message: 'No answer in time.' });
    expect(await say('No answer to secret-two.')).toMatchObject({ message: '[withheld]' });
  }
});

test('at most twenty checked messages are cached', async () => {
  let reads = 0;
  const show = createRedactor(() => {
    reads += 1;
    return SECRETS;
  });
  const readsFor = async (detail: string) => {
    const before = reads;
    await show(new CrossbookError('REMOTE_PROVIDER_TIMEOUT', detail));
    return reads - before;
  };
  const first = await readsFor('No. 0');
  // Cached: only the identity of the secrets is compared.
  expect(await readsFor('No. 0')).toBeLessThan(first);
  for (let index = 1; index <= 20; index++) expect(await readsFor(`No. ${index}`)).toBe(first);
  expect(await readsFor('No. 0')).toBe(first);
});

async function show(
  answer: Partial<ProviderResponse>,
  detail = 'HubSpot responded with 400.',
): Promise<CrossbookError> {
  const failure = new RemoteFailure('REMOTE_PROVIDER_ERROR', detail, {
    status: 400,
    headers: {},
    body: '',
    ...answer,
  });
  const error = await toError(failure);
  if (!(error instanceof CrossbookError)) throw new Error('It is no CrossbookError.');
  return error;
}

function toBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}
