import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** All packages that are bundled into the product. */
export function collectPackages(root, { inputs }) {
  const folders = new Set(Object.keys(inputs).flatMap((path) => toPackage(path)?.folder ?? []));
  return [...folders].sort().map((folder) => {
    const path = join(root, folder);
    const { name, version, license, author } = JSON.parse(
      readFileSync(join(path, 'package.json'), 'utf8'),
    );
    return { name, version, license, author: author?.name ?? author, path };
  });
}

/** The notices that their licences require. */
export function printLicences(packages) {
  return packages.map(toEntry).join('\n');
}

/** The package that a file belongs to; undefined for one of ours. */
export function toPackage(path) {
  const [folder, name] = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  return folder === undefined ? undefined : { folder, name };
}

function toEntry({ name, version, license, author, path }) {
  const files = readdirSync(path).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const texts = files.map((file) => readFileSync(join(path, file), 'utf8').trim());
  const by = author === undefined ? '' : `, by ${author}`;
  return [`${RULE}\n${name} ${version} (${license}${by})\n${RULE}`, ...texts, ''].join('\n\n');
}

const RULE = '='.repeat(80);
