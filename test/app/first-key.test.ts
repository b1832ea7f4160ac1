import { expect, test } from 'vitest';
import { createApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { createTestDatabase } from '../support/databases.ts';
import { runCli } from '../support/run-cli.ts';

test('a production start without any application prints how to create the first API key, and the printed commands work', async () => {
  const { url, drop } = await createTestDatabase();
  const env = {
    NODE_ENV: 'production',
    DATABASE_URL: url,
    CROSSBOOK_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
  };
  const start = async () => {
    const app = await createApp(readConfig(env), { output: { write() {} }, readable: false });
    await app.close();
    return app.notes.join('\n');
  };
  const commands = [...(await start()).matchAll(/crossbook (?:-- )?(\w+ \w+) NAME/g)];
  expect(commands.map(([, command]) => command)).toEqual(['apps create', 'keys create']);
  for (const [, command = ''] of commands) {
    expect(await runCli([...command.split(' '), 'Acme'], { env })).toMatchObject({ code: 0 });
  }
  expect(await start()).not.toContain('apps create');
  await drop();
});
