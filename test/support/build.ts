import { execFileSync } from 'node:child_process';

/** Some tests run the product as its users do, as a process: it is compiled once, before any of them. */
export function setup(): void {
  execFileSync('node', ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
    stdio: 'inherit',
  });
}
