import { readFileSync } from 'node:fs';

/** A shell script that execs Node with the V8 flags, so that a signal to it reaches Node. */
export function toLauncher() {
  return `#!/bin/sh
# Made by the build from build/node-flags.json.
exec node ${readFlags().join(' ')} "$(dirname "$(readlink -f "$0")")/main.js" "$@"
`;
}

/** V8 flags, from their only list. */
export function readFlags() {
  return JSON.parse(readFileSync(new URL('node-flags.json', import.meta.url), 'utf8'));
}
