import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findFreePorts } from '../support/free-ports.ts';
import '../support/process-sources.ts';

test('npm run sandbox listens on CROSSBOOK_SANDBOX_PORT, with Salesforce on the next port', async () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const port = await findFreePorts();
  const child = spawn('sh', ['-c', scripts.sandbox], {
    env: { PATH: process.env['PATH'], CROSSBOOK_SANDBOX_PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (text: Buffer) => {
    output += text;
  });
  await expect.poll(() => output).toContain(`salesforce: http://127.0.0.1:${port + 1} `);
  expect(output).toContain(`hubspot: http://127.0.0.1:${port} `);
  child.kill();
  await once(child, 'exit');
});
