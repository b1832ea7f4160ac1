import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openKeyRing } from '../../src/storage/key-ring.ts';
import { createSealer } from '../../src/storage/sealing.ts';
import { recordSyncs } from './record-syncs.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'crossbook-keys-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const open = (dataDirectory: string) =>
  openKeyRing({ keys: undefined, production: false, dataDirectory });
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

test('the key is created once, readable by its owner only, and stays the same', () => {
  const directory = join(root, 'new');
  const first = open(directory);
  const again = open(directory);
  const path = join(directory, 'keys');
  const made = `Keys       made in ${path}: keep them, because stored credentials cannot be decrypted without them`;
  expect([first.notes, again.notes]).toEqual([[made], []]);
  expect([modeOf(path), modeOf(directory)]).toEqual(['600', '700']);
  const sealed = createSealer(first.ring, 'p').seal('secret', 'b');
  expect(createSealer(again.ring, 'p').open(sealed, 'b')).toBe('secret');
  expect(readdirSync(directory)).toEqual(['keys']);
});

test('the folder is synced once the key is in it, so that a power cut does not lose the key', () => {
  const synced = recordSyncs(root, () => open(root));
  expect(synced).toEqual([expect.arrayContaining(['keys'])]);
});

test('a key file that others can read is restricted to its owner', () => {
  const path = join(root, 'keys');
  open(root);
  writeFileSync(join(root, 'copy'), readFileSync(path), { mode: 0o644 });
  rmSync(path);
  writeFileSync(path, readFileSync(join(root, 'copy')), { mode: 0o644 });
  open(root);
  expect(modeOf(path)).toBe('600');
});

test('a damaged key file is an error that names the file, because a new key would lose the stored data', () => {
  writeFileSync(join(root, 'keys'), 'a:AAAA');
  expect(() => open(root)).toThrow(/key file .*keys cannot be used.*32 bytes/);
  expect(readFileSync(join(root, 'keys'), 'utf8')).toBe('a:AAAA');
});
