import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { RemoteFailure } from '../../../src/domain/remote.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { Turns } from '../../../src/lib/turns.ts';
import { createRedactor } from '../../../src/outbound/redaction/redactor.ts';
import { calibrate } from '../../support/calibrate.ts';

const nextIteration = promisify(setImmediate);

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
  'an error response is redacted in short pieces of work: %s',
  async (_title, body) => {
    const { redact, failure } = openFailure(body);
    expect(await measureLongest(() => redact(failure))).toBeLessThan(SHORT_MS);
    expect(JSON.stringify(await redact(failure))).not.toContain(TOKEN.slice(20, 40));
  },
);

test('twenty error responses at once take no longer pieces than one', async () => {
  const { redact, failure } = openFailure(BODIES['a whole token']);
  const redactAll = () => Promise.all(Array.from({ length: 20 }, () => redact(failure)));
  expect(await measureLongest(redactAll)).toBeLessThan(SHORT_MS);
});

function openFailure(body: string) {
  const failure = new RemoteFailure('REMOTE_PROVIDER_ERROR', 'HubSpot responded with 400.', {
    status: 400,
    headers: { 'x-echo': body.slice(0, 8_192) },
    body: body.slice(0, 128 * 1024),
    bodyBytes: Buffer.byteLength(body),
  });
  return { redact: createRedactor(() => SECRETS, new Turns(systemClock)), failure };
}

/** A piece ends after four milliseconds; a decoding, or the text’s parts, may still follow. */
const SHORT_MS = 20;
/** A busy machine stretches pieces: they are too long if each attempt says so. */
const ATTEMPTS = 8;

/** The longest iteration of the event loop meanwhile, of the attempt in which it was shortest. */
async function measureLongest(work: () => Promise<unknown>): Promise<number> {
  let longest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && longest >= SHORT_MS; attempt += 1) {
    const factor = calibrate();
    const iterations = await measureIterations(work);
    expect(iterations.length).toBeGreaterThan(1);
    longest = Math.min(longest, Math.max(...iterations) * factor);
  }
  return longest;
}

/** Their processor time: on a busy machine the process may have to wait for a processor within one. */
async function measureIterations(work: () => Promise<unknown>): Promise<readonly number[]> {
  const iterations: number[] = [];
  let isDone = false;
  let began = process.cpuUsage();
  const done = work().then(() => {
    isDone = true;
  });
  while (!isDone) {
    await nextIteration();
    const { user, system } = process.cpuUsage(began);
    iterations.push((user + system) / 1_000);
    began = process.cpuUsage();
  }
  await done;
  return iterations;
}
