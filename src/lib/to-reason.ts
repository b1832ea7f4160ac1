import { inspect } from 'node:util';

/** The message of what was thrown. An error without one gives its code or name, any other value its printed form. */
export function toReason(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown;
  if (!(thrown instanceof Error)) return inspect(thrown, { depth: 1, breakLength: Number.POSITIVE_INFINITY });
  const code = 'code' in thrown && thrown.code;
  return thrown.message || (code ? String(code) : thrown.name);
}
