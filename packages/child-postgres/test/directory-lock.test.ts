import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts';
import { lockDirectory } from '../src/directory-lock.ts';

const root = makeTemporaryFolder();
afterAll(() => rmSync(root, { recursive: true }));

describe('the lock', () => {
  let holder: object;
  beforeAll(() => {
    const release = lockDirectory(join(root, 'own'));
    const own = JSON.parse(readFileSync(join(root, 'own.lock'), 'utf8'));
    holder = { ...own, started: 'another time', token: 't' };
    release();
  });
  const leave = (name: string, content: string) => {
    const directory = join(root, name);
    writeFileSync(`${directory}.lock`, content);
    return directory;
  };
  const age = (directory: string) => utimesSync(`${directory}.lock`, new Date(0), new Date(0));

  test('rejects the same process too, until it is released', () => {
    const directory = join(root, 'same');
    const release = lockDirectory(directory);
    expect(() => lockDirectory(`${directory}/`)).toThrow(`in use by process ${process.pid}`);
    release();
    lockDirectory(directory)();
  });

  test('is taken over if its process has ended, even when the process id is in use again', () => {
    const directory = leave('reused', JSON.stringify(holder));
    const release = lockDirectory(directory);
    expect(JSON.parse(readFileSync(`${directory}.lock`, 'utf8')).pid).toBe(process.pid);
    release();
  });

  test('is valid only while it is touched, when its holder is on another host', () => {
    const directory = leave('host', JSON.stringify({ ...holder, host: 'elsewhere', pid: 1 }));
    expect(() => lockDirectory(directory)).toThrow('process 1 on elsewhere');
    age(directory);
    lockDirectory(directory)();
  });

  test('is valid while it is touched, when its holder is another container with the same host name', () => {
    const directory = leave(
      'container',
      JSON.stringify({ ...holder, space: 'another namespace', pid: 1 }),
    );
    expect(() => lockDirectory(directory)).toThrow('in use by process 1');
    age(directory);
    lockDirectory(directory)();
  });

  test.each(['', '{"pid":'])(
    'does not block a start when a power cut truncated it (%j)',
    (content) => {
      const directory = leave('short', content);
      lockDirectory(directory)();
      expect(existsSync(`${directory}.lock`)).toBe(false);
    },
  );

  test('is not removed by its former holder after a takeover', () => {
    const directory = join(root, 'taken');
    const release = lockDirectory(directory);
    writeFileSync(`${directory}.lock`, JSON.stringify({ ...holder, token: 'theirs' }));
    release();
    expect(existsSync(`${directory}.lock`)).toBe(true);
  });
});
