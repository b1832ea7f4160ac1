import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

const INSTALLED = join(import.meta.dirname, '../../node_modules');

/**
 * What `npm ci` leaves in a copy of this repository, without installing: links to the installed packages, and to the
 * copy's own workspaces.
 */
export function linkPackages(copy: string): void {
  const modules = join(copy, 'node_modules');
  const workspaces = readdirSync(join(copy, 'packages')).map((folder) => {
    const path = join(copy, 'packages', folder);
    return { path, name: JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')).name };
  });
  mkdirSync(modules);
  for (const name of readdirSync(INSTALLED))
    if (!name.startsWith('.') && !workspaces.some((own) => own.name.split('/')[0] === name))
      symlinkSync(join(INSTALLED, name), join(modules, name));
  for (const { name, path } of workspaces) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(path, join(modules, name));
  }
}
