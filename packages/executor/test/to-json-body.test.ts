import { describe, expect, test } from 'vitest';
import { fc } from '../../../test/support/fast-check.ts';
import { Allowance, DEFAULT_BOUNDS } from '../src/allowance.ts';
import { JsonBytes, toJsonBody } from '../src/json/write.ts';

async function expectItsJson(value: unknown): Promise<void> {
  const expected = Buffer.from(JSON.stringify(value));
  for (const pauses of [0, 5]) {
    let counted = 0;
    let left = pauses;
    const pause = () => {
      left -= 1;
      return left >= 0 ? Promise.resolve() : undefined;
    };
    const consumeBytes = (count: number) => {
      counted += count;
    };
    const written = await toJsonBody(value, { pause, consumeBytes });
    const bytes = toBytes(written);
    expect(bytes.equals(expected)).toBe(true);
    expect(counted).toBe(bytes.length);
    if (written instanceof JsonBytes) expect(written.length).toBe(bytes.length);
  }
}

function toBytes(body: string | JsonBytes): Buffer {
  return typeof body === 'string' ? Buffer.from(body) : body.toBuffer();
}

test('the body of any value has the bytes of its JSON', async () => {
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 2_000 }), { maxLength: 10 });
  await fc.assert(fc.asyncProperty(texts, expectItsJson));
});

test('the body of a value with long lists has the bytes of its JSON, wherever the lists are', async () => {
  const leaf = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constant(undefined),
    fc.date({ noInvalidDate: true }),
  );
  const list = fc.array(leaf, { maxLength: 100, size: 'max' });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      leaf,
      list,
      fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
      fc.array(tie('value'), { maxLength: 40 }),
    ),
  }));
  // Nothing has no JSON.
  await fc.assert(
    fc.asyncProperty(
      value.filter((made) => made !== undefined),
      expectItsJson,
    ),
  );
});

test.each([0, 1, 31, 32, 33, 64, 65, 1_000])('a page of %d', async (length) => {
  const nodes = Array.from({ length }, (_, index) => ({
    index,
    street: `${index} St James’s Square`,
    none: undefined,
  }));
  await expectItsJson({
    data: { a: { nodes, pageInfo: {} }, b: null, c: { nodes: [], edges: nodes } },
  });
  await expectItsJson({ pagination: {}, records: nodes });
});

test.each([
  '',
  'a',
  '’'.repeat(10_000),
  '😀'.repeat(10_000),
  'x'.repeat(400_000),
  '\ud800'.repeat(5_000),
])('a text such as %.5s', async (text) => {
  await expectItsJson(text);
  await expectItsJson({ data: Array.from({ length: 50 }, () => text) });
});

test('only long lists become bytes', () => {
  expect(toJsonBody(['short'])).toBe('["short"]');
  expect(toJsonBody('x'.repeat(10_000))).toBeInstanceOf(JsonBytes);
});

test('a body is not overwritten by the next one', () => {
  const first = toJsonBody('a'.repeat(10_000));
  toJsonBody('b'.repeat(10_000));
  expect(toBytes(first).includes('b')).toBe(false);
});

test('serialized parts are included unchanged, at any position', () => {
  const written = () => new JsonBytes([Buffer.from('{"nodes":["’'), Buffer.from('"]}')]);
  const page = { nodes: ['’'] };
  const long = Array.from({ length: 100 }, (_, index) => index);
  const cases = (part: () => unknown) => [
    part(),
    { data: { a: part(), b: null, c: part() } },
    { errors: [], data: { a: { b: part() } } },
    { data: { a: { b: { c: { d: part() } } } } },
    [{ data: { a: part() } }, { data: null }],
    { data: { long, a: part() } },
    { data: [...long.map(() => part())] },
  ];
  for (const [index, value] of cases(written).entries()) {
    expect(toBytes(toJsonBody(value)).toString()).toBe(JSON.stringify(cases(() => page)[index]));
  }
});

test('the bytes of a body can be taken once', () => {
  const written = new JsonBytes([Buffer.from('1')]);
  expect(written.take()).toHaveLength(1);
  expect(() => written.take()).toThrow('taken');
});

/** An allowance, and how often other requests could run while something was made with it. */
function countPauses(bounds = DEFAULT_BOUNDS) {
  const allowance = new Allowance(bounds);
  return {
    allowance,
    async run<Result>(make: (allowance: Allowance) => Promise<Result> | Result) {
      let pauses = 0;
      let isRunning = true;
      const count = () => {
        if (!isRunning) return;
        pauses += 1;
        setImmediate(count);
      };
      setImmediate(count);
      const result = await make(allowance);
      isRunning = false;
      return { result, pauses };
    },
  };
}

describe('a response of several megabytes', () => {
  const text = 'x'.repeat(10_000);
  const texts = Array.from({ length: 500 }, () => text);
  const members = Object.fromEntries(texts.map((one, index) => [index, one]));

  test.each([
    ['a list', texts],
    ['an object', members],
    ['lists in objects', [{ a: { b: { c: texts } } }]],
    ['an object in lists', { a: [[members]] }],
  ])('lets other requests run after each megabyte of %s', async (_where, value) => {
    const { result, pauses } = await countPauses().run((meter) => toJsonBody(value, meter));
    expect(toBytes(result).toString()).toBe(JSON.stringify(value));
    expect(pauses).toBeGreaterThanOrEqual(3);
  });

  test('lets them run once per megabyte of all that is written at the same time', async () => {
    const lists = Array.from({ length: 10 }, () => texts.slice(0, 110));
    const { result, pauses } = await countPauses().run(async (meter) =>
      Promise.all(lists.map((list) => toJsonBody(list, meter))),
    );
    for (const [index, body] of result.entries())
      expect(toBytes(body).toString()).toBe(JSON.stringify(lists[index]));
    expect(pauses).toBeGreaterThanOrEqual(9);
  });

  test('ends with an error above the limit of bytes, also after a pause', async () => {
    const { run, allowance } = countPauses({ ...DEFAULT_BOUNDS, bytes: 3_000_000 });
    await expect(run((meter) => toJsonBody(texts, meter))).rejects.toThrow('3000000 bytes');
    expect(allowance.exceeded).toBeInstanceOf(Error);
  });
});

test('a response of less than a megabyte is written without a promise', () => {
  const allowance = new Allowance(DEFAULT_BOUNDS);
  for (const value of ['short', Array(90).fill('x'.repeat(10_000))])
    expect(toJsonBody(value, allowance)).not.toBeInstanceOf(Promise);
});
