import { expect, test } from 'vitest';
import { describeEachEngine, HAS_POSTGRES } from '../support/engines.ts';

if (!HAS_POSTGRES) {
  process.stderr.write('\nTEST_DATABASE_URL is not set: the storage suites on PostgreSQL are SKIPPED.\n\n');
}

describeEachEngine('the database that the tests run on', (on) => {
  test('is the one that the report names, and it answers', async () => {
    const [server] = await on.rows<{ version: string }>('select version() as version');
    // PGlite is PostgreSQL compiled for another machine.
    expect(/wasm|emscripten|emcc/i.test(server?.version ?? '')).toBe(on.kind === 'pglite');
    expect(on.database().kind).toBe(on.kind);
    await on.database().ping();
  });
});
