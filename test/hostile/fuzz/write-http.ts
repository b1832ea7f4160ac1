import type { Dice } from '../../support/dice.ts';

/** Writes HTTP/1.1 that is almost valid: framings, headers and URLs, complete or truncated. */
export function writeHttp(
  { next, chance, pick }: Dice,
  headers: Readonly<Record<string, string>>,
): string {
  const body = pick(BODIES);
  const method = pick([
    'GET',
    'POST',
    'POST',
    'PUT',
    'DELETE',
    'HEAD',
    'OPTIONS',
    'PATCH',
    'TRACE',
    'BREW',
  ]);
  const lines = [
    `${method} ${pick(PATHS)} HTTP/${chance(95) ? '1.1' : pick(['1.0', '2.0', '9.9'])}`,
    `host: ${chance(90) ? '127.0.0.1' : pick(['elsewhere', 'a b', '', '127.0.0.1:99999', '[::1]'])}`,
    `content-type: ${pick(['application/json', 'application/json', 'text/plain', 'application/json;charset=utf-16'])}`,
    ...(chance(40) ? Object.entries(headers).map(([name, value]) => `${name}: ${value}`) : []),
    ...Array.from(
      { length: pick([0, 0, 1, 3, 200]) },
      (_, n) => `x-${n}: ${pick(['1', 'é', '', 'x'.repeat(500)])}`,
    ),
    ...pick(FRAMINGS)(body.length),
    ...(chance(70) ? ['connection: close'] : []),
  ];
  const chunked = lines.some((line) => line === 'transfer-encoding: chunked');
  const sent = chunked
    ? `${body.length.toString(16)}\r\n${body}\r\n${chance(80) ? '0\r\n\r\n' : ''}`
    : body;
  const text = `${lines.join('\r\n')}\r\n\r\n${sent}`;
  if (chance(15)) return text.slice(0, next(text.length));
  return chance(15) ? spoil(text) : text.repeat(pick([1, 1, 1, 4]));

  function spoil(message: string): string {
    const at = next(message.length);
    return (
      message.slice(0, at) +
      pick(['\r', '\n', '\u0000', ' ', '\r\n\r\n', 'ÿ']) +
      message.slice(at + next(3))
    );
  }
}

const BODIES = [
  '{"query":"{__typename}"}',
  '{"query":"{customer{name}}"}',
  '[{"query":"{__typename}"},{"query":"{__typename}"}]',
  '{"filter":{"email":"ada@example.com"}}',
  '{"filter":',
  '',
  '{"query":"{__schema{types{name fields{name}}}}"}',
  `{"query":"${'{customer'.repeat(200)}"}`,
];

const PATHS = [
  '/graphql',
  '/graphql',
  '/graphql?query={__typename}',
  '/contacts/_search',
  '/customers',
  '/customers/demo',
  '/livez',
  '/readyz',
  '/metrics',
  '/',
  '/openapi.json',
  '/nowhere',
  '//',
  '/graphql?query=%',
  '/%00',
  '*',
  'http://elsewhere/graphql',
  `/${'x'.repeat(4_000)}`,
  '/graphql?variables={',
  '/contacts/_search?page_size=1e9',
];

const FRAMINGS: readonly ((length: number) => readonly string[])[] = [
  (length) => [`content-length: ${length}`],
  (length) => [`content-length: ${length}`],
  () => ['transfer-encoding: chunked'],
  (length) => [`content-length: ${length + 1}`],
  (length) => [`content-length: ${Math.max(0, length - 1)}`],
  (length) => [`content-length: ${length}`, 'transfer-encoding: chunked'],
  () => [],
  (length) => [`content-length: ${length}`, 'expect: 100-continue'],
  (length) => [`content-length: ${length}`, 'content-encoding: gzip'],
];
