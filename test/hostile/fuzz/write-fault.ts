import type { Dice } from '../../support/dice.ts';

/** A fault of a CRM: late, hanging, oversized, malformed, or echoing what it received. */
export function writeFault({ pick, chance, next }: Dice, secrets: readonly string[]): object {
  const status = pick([
    200, 200, 201, 204, 207, 301, 302, 400, 401, 403, 404, 409, 413, 422, 423, 429, 500, 502, 503,
    599,
  ]);
  const echo = () => spell(pick, pick(secrets));
  return pick<() => object>([
    () => ({ kind: 'slow', delayMs: next(1_500) }),
    () => ({
      kind: pick(['hang', 'stall', 'reset', 'reset-midway', 'truncated', 'empty', 'partial']),
    }),
    () => ({ kind: pick(['oversized', 'gzip-bomb']), megabytes: pick([1, 31, 40]) }),
    () => ({ kind: 'answer', status, body: pick(BODIES) }),
    () => ({
      kind: 'answer',
      status,
      body: { message: `You sent ${echo()}`, nested: [{ said: echo() }] },
    }),
    () => ({
      kind: 'answer',
      status,
      body: `<html>${echo()}</html>`,
      headers: { 'x-echo': echo().replace(/[^ -~]/g, '') },
    }),
    () => ({
      kind: 'answer',
      status,
      body: { message: (chance(50) ? '\u0001' : 'x').repeat(20_000) },
    }),
    () => ({
      kind: 'answer',
      status: 429,
      body: {},
      headers: { 'retry-after': pick(['0', '1', '-1', 'x', '999999999']) },
    }),
  ])();
}

function spell(pick: Dice['pick'], secret: string): string {
  const bytes = Buffer.from(secret);
  return pick<() => string>([
    () => secret,
    () => [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    () => [...secret].map((character) => `&#${character.charCodeAt(0)};`).join(''),
    () => bytes.toString('base64'),
    () => bytes.toString('base64url'),
    () => Buffer.from(`user:${secret}`).toString('base64'),
    () => bytes.toString('hex'),
    () => secret.toUpperCase(),
    () => [...secret].join('\u200b'),
    () => secret.slice(0, -1),
    () => encodeURIComponent(encodeURIComponent(secret)),
  ])();
}

const BODIES = [
  '',
  '{',
  'null',
  '[]',
  '{"results":null}',
  '{"results":[null]}',
  '{"results":{}}',
  '<html>',
  '\u0000',
  { results: [{}] },
  { results: [{ id: null, properties: null }] },
  { records: [{ Id: 1 }], totalSize: -1 },
  {
    results: [{ id: '1', properties: { email: { a: 1 } } }],
    paging: { next: { after: 'x'.repeat(9_000) } },
  },
  { total: 1e308, results: [] },
  { results: Array.from({ length: 5_000 }, () => ({ id: 'same', properties: {} })) },
];
