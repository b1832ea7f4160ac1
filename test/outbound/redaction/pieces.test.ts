import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { RemoteFailure } from '../../../src/domain/remote.ts';
import { createRedactor } from '../../../src/outbound/redaction/redactor.ts';
import { expectShortPiece } from '../../support/calibrate.ts';

/** As many letters as a token may have, which repeat nowhere. */
function toToken(seed: number): string {
  const blocks = Array.from({ length: 256 }, (_, n) =>
    createHash('sha512').update(`${seed} ${n}`).digest('base64'),
  );
  return blocks.join('').slice(0, 16_384);
}

const SECRETS = [1, 2, 3].map(toToken);
const [TOKEN = ''] = SECRETS;
const pieces = (length: number, count: number) =>
  Array.from({ length: count }, (_, n) => TOKEN.slice(n * length, (n + 1) * length));

const BODIES = {
  'a whole token': TOKEN,
  'a token as JSON': JSON.stringify({ token: TOKEN }),
  'a token in a thousand pieces': JSON.stringify(pieces(12, 1_000)),
  'two hundred pieces of a token': JSON.stringify(pieces(40, 190)),
  'keys that are pieces of a token': JSON.stringify(
    Object.fromEntries(pieces(12, 190).map((key) => [key, 1])),
  ),
  'only percent signs': '%25'.repeat(5_400),
  'only opening brackets': '<'.repeat(16_000),
  'unfinished escapes': '\\u{0'.repeat(4_000),
  'full width letters': 'ａ'.repeat(5_400),
  'three thousand numbers': JSON.stringify(Array.from({ length: 3_000 }, (_, n) => n)),
  'thirty megabytes': 'x '.repeat(15 * 1024 * 1024),
};

test.each(Object.entries(BODIES))(
  'redacting an error response is a short piece of work: %s',
  (_title, body) => {
    const redact = createRedactor(() => SECRETS);
    const failure = new RemoteFailure('REMOTE_PROVIDER_ERROR', 'HubSpot answered 400.', {
      status: 400,
      headers: { 'x-echo': body.slice(0, 8_192) },
      body: body.slice(0, 128 * 1024),
      bodyBytes: Buffer.byteLength(body),
    });
    expectShortPiece(() => redact(failure));
    expect(JSON.stringify(redact(failure))).not.toContain(TOKEN.slice(20, 40));
  },
);
