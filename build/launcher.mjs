import { readFileSync } from 'node:fs';

/** A shell script that becomes Node with the engine's flags, so that a signal to it is a signal to Node. */
export function toLauncher() {
  return `#!/bin/sh
# Made by the build from build/node-flags.json.
exec node ${readFlags().join(' ')} "$(dirname "$(readlink -f "$0")")/main.js" "$@"
`;
}

/** Of the engine: the one list. */
export function readFlags() {
  return JSON.parse(readFileSync(new URL('node-flags.json', import.meta.url), 'utf8'));
}
