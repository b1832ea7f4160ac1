import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The licences of all packages that went into the product, as they ask for. */
export function collectLicences(root, { inputs }) {
  const folders = new Set(Object.keys(inputs).flatMap((path) => toPackage(path)?.folder ?? []));
  return [...folders]
    .sort()
    .map((folder) => toEntry(join(root, folder)))
    .join('\n');
}

/** The package that a file belongs to; undefined for one of ours. */
export function toPackage(path) {
  const [folder, name] = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path) ?? [];
  return folder === undefined ? undefined : { folder, name };
}

function toEntry(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|notice|copying)/i.test(file));
  const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
  const by = author === undefined ? '' : `, by ${author.name ?? author}`;
  return [`${RULE}\n${name} ${version} (${license}${by})\n${RULE}`, ...texts, ''].join('\n\n');
}

const RULE = '='.repeat(80);
