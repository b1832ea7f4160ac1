import { execFileSync } from 'node:child_process';
import { arch, availableParallelism, cpus, platform, totalmem } from 'node:os';
import { ROOT } from '../support/paths.ts';

/** The machine and time of a measurement, without which figures mean nothing. */
export function readEnvironment(node: string): Environment {
  return {
    date: new Date().toISOString().slice(0, 10),
    node: execFileSync(node, ['--version']).toString().trim(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown processor',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    system: `${platform()} ${arch()}`,
    commit: readCommit(),
  };
}

export function toEnvironmentText({
  date,
  node,
  cpu,
  cores,
  memoryGb,
  system,
  commit,
}: Environment): string {
  const source = commit === undefined ? '' : `, commit ${commit}`;
  return `${date}, ${cpu}, ${cores} cores, ${memoryGb} GB, ${system}, Node ${node}${source}`;
}

function readCommit(): string | undefined {
  try {
    const found = execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return found.toString().trim();
  } catch {
    return undefined;
  }
}

export interface Environment {
  readonly date: string;
  readonly node: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGb: number;
  readonly system: string;
  /** Undefined outside of a git checkout. */
  readonly commit: string | undefined;
}
