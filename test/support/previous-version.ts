import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = process.cwd();
const MIGRATIONS = 'src/storage/migrations/*.sql';

/**
 * The commit before the one that added the newest migration: the version that runs alongside this one during an
 * upgrade. Undefined if its files are not here, as in a shallow clone.
 */
export const PREVIOUS = findPreviousVersion();

function findPreviousVersion(): string | undefined {
  const added = git('log', '--diff-filter=A', '--format=%H', '-1', '--', MIGRATIONS);
  return added && git('rev-parse', '--verify', '--quiet', `${added}^`);
}

/** The sources of that version in a folder of this project, so that packages resolve. */
export function unpackVersion(commit: string): UnpackedVersion {
  const folder = join(ROOT, 'test-results', `version-${commit.slice(0, 8)}-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  const archive = execFileSync('git', ['archive', commit], { maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-x', '-C', folder], { input: archive });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

function git(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8' });
  return status === 0 ? stdout.trim() || undefined : undefined;
}

export interface UnpackedVersion {
  readonly folder: string;
  remove(): void;
}
