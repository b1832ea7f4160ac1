import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { cutRelease } from './changelog.mjs';

/**
 * A part of `npm version`, which changes the version, commits and tags. `check` runs before: it fails if nothing
 * was changed, or if a breaking change would be released as a patch or minor version. `write` runs after: it writes
 * version and date into the changelog and the tag of the image into the manifests, and stores the schemas that later ones are compared with.
 */
const version = process.env.npm_new_version ?? '';
/** They name the image by its version. */
const TAGGED = ['ops/kubernetes/crossbook.yaml', 'docs/deployment.md'];
const TAG = /(?<=registry\.example\.com\/)crossbook:\d+\.\d+\.\d+/g;
const day = new Date().toISOString().slice(0, 10);
try {
  const changelog = cutRelease(readFileSync('CHANGELOG.md', 'utf8'), { version, day });
  if (process.argv[2] === 'write') {
    writeFileSync('CHANGELOG.md', changelog);
    copyFileSync('schema.graphql', 'schema.released.graphql');
    copyFileSync('subgraph.graphql', 'subgraph.released.graphql');
    for (const path of TAGGED)
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(TAG, `crossbook:${version}`));
  }
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
