import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** The compiled product as its users run it; resolves when it prints that it is ready. */
export async function startProduct(
  env: Record<string, string>,
  nodeArguments: readonly string[] = [],
  program = PROGRAM,
): Promise<Product> {
  const child = spawnProduct(env, nodeArguments, program);
  let printed = '';
  let complained = '';
  child.stderr?.on('data', (text: Buffer) => {
    complained += text;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (text: Buffer) => {
      printed += text;
      if (/-d '.*'\n/.test(printed)) resolve();
    });
    // Its output ends after its exit.
    child.once('close', (code) =>
      reject(new Error(`The product ended with ${code}:\n${printed}${complained}`)),
    );
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return {
    child,
    url: (/ready at (\S+)/.exec(printed)?.[1] ?? '').replace('localhost', '127.0.0.1'),
    curl: /curl[\s\S]*?-d '.*'/.exec(printed)?.[0] ?? '',
    headers: {
      'content-type': 'application/json',
      'x-api-key': /cbk_demo_[\w-]{43}/.exec(printed)?.[0] ?? '',
    },
    complaints: () => complained,
    lines: () => {
      const whole = printed.slice(0, printed.lastIndexOf('\n') + 1);
      return whole.split('\n').filter((line) => line.startsWith('{'));
    },
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
    ended,
  };
}

export function spawnProduct(
  env: Record<string, string>,
  nodeArguments: readonly string[] = [],
  program = PROGRAM,
) {
  return spawn(process.execPath, [...nodeArguments, program], {
    env: { PATH: process.env['PATH'], PORT: '0', CROSSBOOK_SANDBOX_PORT: '0', ...PATIENT, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
}

const PROGRAM = 'dist/main.js';

/** Timeouts are tested explicitly. All other tests must not depend on the speed of the machine. */
const PATIENT = {
  CROSSBOOK_PROVIDER_DEADLINE_MS: '120000',
  CROSSBOOK_SHUTDOWN_MS: '600000',
  CROSSBOOK_HEADERS_TIMEOUT_MS: '600000',
  CROSSBOOK_REQUEST_TIMEOUT_MS: '600000',
};

/** The process's memory after a garbage collection. It has to be started with `MEASURABLE`. */
export async function readHeldMemory({ child }: Product): Promise<number> {
  child.send('measure');
  const [{ held }] = (await once(child, 'message')) as [{ held: number }];
  return held;
}

export const MEASURABLE = ['--expose-gc', '--import', './test/support/held-memory.mjs'];

export interface Product {
  readonly child: ChildProcess;
  readonly url: string;
  /** The curl command that it printed. */
  readonly curl: string;
  /** The headers of the demo application. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its standard error. */
  complaints(): string;
  /** The complete lines of its log. */
  lines(): readonly string[];
  /** Sends SIGTERM, and resolves to the exit code. */
  stop(): Promise<number | null>;
  readonly ended: Promise<number | null>;
}
