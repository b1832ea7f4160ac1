import { readFileSync } from 'node:fs';

const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const { devDependencies, optionalDependencies } = read('../package.json');

/**
 * For bundles that run in this repository: the packages that are loaded from `node_modules`. The workspaces are not
 * among them, because Node 20 runs no TypeScript.
 */
export const INSTALLED = [...Object.keys(devDependencies), ...Object.keys(optionalDependencies)];
