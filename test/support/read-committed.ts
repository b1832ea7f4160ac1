import { spawnSync } from 'node:child_process';

/** A file as the last commit before this state of it has it. Undefined where there is no git, or no such commit. */
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
