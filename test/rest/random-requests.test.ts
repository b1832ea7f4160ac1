import { expect, test } from 'vitest';
import { fc } from '../support/fast-check.ts';
import { arbitraryRequest } from './arbitrary.ts';
import { JSON_DEMO, openRest } from './open-rest.ts';

const { ask, fake, document } = await openRest();
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    path,
    operation,
  })),
);

test.each(operations)(
  'a thousand requests to $method $path, right and wrong, get documented answers and no 500',
  async ({ method, path, operation }) => {
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(arbitraryRequest(document, operation), async (made) => {
        // Another may have deleted it.
        await fake.restoreDemo();
        const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
          encodeURIComponent(String(made.path[name])),
        );
        const query = new URLSearchParams(made.query as Record<string, string>);
        if (made.extra) query.append(...made.extra);
        const headers = { ...JSON_DEMO, ...toHeaders(made.headers) };
        const raw = made.body instanceof Uint8Array ? made.body : JSON.stringify(made.body);
        // Holds the answer against the document, and throws if the two differ.
        const { status } = await ask(method, `${target}?${query}`, {
          headers,
          ...(raw !== undefined && { raw }),
        });
        statuses.add(status);
        expect(status).not.toBe(500);
      }),
      { numRuns: 1_000 },
    );
    // Both accepted and rejected requests occurred.
    const [done = 200] = Object.keys(operation.responses).map(Number);
    expect([...statuses]).toContain(400);
    expect([...statuses].some((status) => status === done || BY_WHAT_IS_STORED.has(status))).toBe(
      true,
    );
  },
);

const BY_WHAT_IS_STORED = new Set([403, 404, 409]);

/** What could not be sent is not sent. */
function toHeaders(made: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(made).map(([name, value]) => [name, String(value)] as const);
  return Object.fromEntries(entries.filter(([, value]) => /^[\x20-\x7e]*$/.test(value)));
}
