import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChildServer } from '@crossbook/child-postgres';
import type { TestProject } from 'vitest/node';
import { startEmbeddedServer } from '../../src/storage/embedded-server.ts';
import { migrate } from '../../src/storage/engine/migrate.ts';
import { openEngine } from '../../src/storage/engine/open.ts';
import { administer, TEMPLATE, withName } from './administer.ts';
import { PATIENT_DATABASE } from './patience.ts';

let root: string;
let server: ChildServer | undefined;

/** One embedded server for the whole run; each test that needs a database gets a copy of the template. */
export async function setup({ provide }: TestProject): Promise<void> {
  root = mkdtempSync(join(tmpdir(), 'crossbook-server-'));
  chmodSync(root, 0o711); // For the user that the server runs as when the tests run as root.
  // These databases are disposable, so they skip fsync: durability is tested on servers that tests start
  // themselves.
  const settings = { max_connections: '300', fsync: 'off' };
  server = await startEmbeddedServer({ directory: join(root, 'data'), tcp: true, settings });
  await administer(server.url, `create database ${TEMPLATE}`);
  const engine = await openEngine({ url: withName(server.url, TEMPLATE) }, PATIENT_DATABASE);
  await migrate(engine);
  await engine.close();
  provide('databaseServer', server.url);
}

export async function teardown(): Promise<void> {
  await server?.close();
  rmSync(root, { recursive: true, force: true });
}

declare module 'vitest' {
  interface ProvidedContext {
    databaseServer: string;
  }
}
