import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSealer, loadOrCreateKeyRing } from '../../src/storage/sealing.ts';
import { recordSyncs } from '../support/record-syncs.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'crossbook-keys-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test('the key is created once, readable by its owner only, and stays the same', () => {
  const directory = join(root, 'new');
  const first = loadOrCreateKeyRing(directory);
  const again = loadOrCreateKeyRing(directory);
  expect([first.created, again.created]).toEqual([true, false]);
  expect([modeOf(first.path), modeOf(directory)]).toEqual(['600', '700']);
  const sealed = createSealer(first.ring, 'p').seal('secret', 'b');
  expect(createSealer(again.ring, 'p').open(sealed, 'b')).toBe('secret');
  expect(readdirSync(directory)).toEqual(['keys']);
});

test('the folder is synced once the key is in it, so that a power cut does not lose the key', () => {
  const synced = recordSyncs(root, () => loadOrCreateKeyRing(root));
  expect(synced).toEqual([expect.arrayContaining(['keys'])]);
});

test('a key file that others can read is restricted to its owner', () => {
  const { path } = loadOrCreateKeyRing(root);
  writeFileSync(join(root, 'copy'), readFileSync(path), { mode: 0o644 });
  rmSync(path);
  writeFileSync(path, readFileSync(join(root, 'copy')), { mode: 0o644 });
  loadOrCreateKeyRing(root);
  expect(modeOf(path)).toBe('600');
});

test('a damaged key file is an error that names the file, because a new key would lose the stored data', () => {
  writeFileSync(join(root, 'keys'), 'a:AAAA');
  expect(() => loadOrCreateKeyRing(root)).toThrow(/key file .*keys cannot be used.*32 bytes/);
  expect(readFileSync(join(root, 'keys'), 'utf8')).toBe('a:AAAA');
});
