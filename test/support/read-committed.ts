import { spawnSync } from 'node:child_process';

/** A file as of the last commit before the current version. Undefined without git, or without such a commit. */
export function readCommitted(path: string): string | undefined {
  const isClean = git('diff', '--quiet', 'HEAD', '--', path) !== undefined;
  return git('show', `${isClean ? 'HEAD^' : 'HEAD'}:./${path}`);
}

function git(...args: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return status === 0 ? stdout : undefined;
}
