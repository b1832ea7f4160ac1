import { expect, test } from 'vitest';
import { describeEachServer } from '../support/databases.ts';

describeEachServer('the database that the tests run on', (on) => {
  test('is the one that the report names, and it responds', async () => {
    const [server] = await on.rows<{ name: string }>(
      `select current_setting('cluster_name') as name`,
    );
    expect(server?.name === 'crossbook').toBe(on.kind === 'embedded');
    await on.database().ping();
  });
});
