import { toReason } from './output.ts';

/** Loads a leading `--env-file` and returns the other arguments. Existing environment variables win. */
export function readEnvFile(args: readonly string[]): readonly string[] {
  const [first = '', ...others] = args;
  if (!/^--env-file(=|$)/.test(first)) return args;
  const [file = '', ...rest] = first.includes('=')
    ? [first.slice(first.indexOf('=') + 1), ...others]
    : others;
  try {
    process.loadEnvFile(file);
    return rest;
  } catch (error) {
    process.stderr.write(
      `The settings of --env-file "${file}" cannot be read: ${toReason(error)}\n`,
    );
    process.exit(2);
  }
}
