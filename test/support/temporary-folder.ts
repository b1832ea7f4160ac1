import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** World-accessible: where the tests run as root, the embedded database has a user of its own. */
export function makeTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'crossbook-'));
  chmodSync(folder, 0o711);
  return folder;
}
