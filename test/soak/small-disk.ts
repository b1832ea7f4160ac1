import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const MEGABYTES = 192;

/** A file system in a file; undefined if this process is not allowed to mount one. */
export function openSmallDisk(): SmallDisk | undefined {
  const root = mkdtempSync(join(tmpdir(), 'crossbook-disk-'));
  const [image, folder] = [join(root, 'image'), join(root, 'disk')];
  const [ballast, empty] = [join(folder, 'ballast'), join(folder, 'empty')];
  const mount = () => execFileSync('mount', ['-o', 'loop,errors=remount-ro', image, folder]);
  const remount = (how: string) => execFileSync('mount', ['-o', `remount,${how}`, folder]);
  try {
    chmodSync(root, 0o755);
    mkdirSync(folder);
    writeFileSync(image, '');
    truncateSync(image, MEGABYTES * 1_048_576);
    execFileSync('mkfs.ext4', ['-q', '-F', '-m', '0', image]);
    mount();
  } catch {
    rmSync(root, { recursive: true, force: true });
    return undefined;
  }
  return {
    folder,
    async fill() {
      // Down to the last block: large writes leave a remainder.
      for (const size of ['64k', '1k']) {
        const to = [`of=${ballast}`, 'oflag=append', 'conv=notrunc', `bs=${size}`];
        await execute('dd', ['if=/dev/zero', ...to]).catch(() => undefined);
      }
      await execute('sync', ['-f', folder]);
    },
    takeInodes() {
      mkdirSync(empty);
      try {
        for (let n = 0; ; n += 1) writeFileSync(join(empty, String(n)), '');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      }
    },
    free() {
      rmSync(ballast, { force: true });
      rmSync(empty, { force: true, recursive: true });
    },
    turnReadOnly() {
      const device = execFileSync('losetup', [
        '--noheadings',
        '--output',
        'NAME',
        '--associated',
        image,
      ]);
      writeFileSync(
        `/sys/fs/ext4/${basename(String(device).trim())}/trigger_fs_error`,
        'as a broken disk does',
      );
    },
    async repair() {
      await unmount(folder);
      // 1: there was something to repair.
      await execute('e2fsck', ['-p', image]).catch(({ code }) => {
        if (code !== 1) throw new Error(`The disk cannot be repaired: ${code}`);
      });
      mount();
    },
    setReadOnly: (isReadOnly) => remount(isReadOnly ? 'ro' : 'rw'),
    async close() {
      await unmount(folder);
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A process that has just exited may need a moment to close its files. */
async function unmount(folder: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    try {
      execFileSync('umount', [folder], { stdio: 'ignore' });
      return;
    } catch {
      await wait(100);
    }
  }
  throw new Error(`Somebody still uses ${folder}.`);
}

export interface SmallDisk {
  readonly folder: string;
  fill(): Promise<void>;
  /** With empty files: no further file can be created, though there are free blocks. */
  takeInodes(): void;
  free(): void;
  /** Remounts read-only in use, as the kernel does after an I/O error. */
  turnReadOnly(): void;
  /** Run after that; nothing may use it meanwhile. */
  repair(): Promise<void>;
  /** While nothing writes to it. */
  setReadOnly(isReadOnly: boolean): void;
  close(): Promise<void>;
}
