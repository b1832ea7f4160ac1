/**
 * Returns the changelog with its unreleased section as a release. Throws if that is empty, or needs a higher
 * version.
 */
export function cutRelease(changelog, { version, day }) {
  const unreleased = readUnreleased(changelog);
  if (!/^- /m.test(unreleased))
    throw new Error('CHANGELOG.md says of nothing that it is unreleased.');
  const [, last] = /^## (\d+\.\d+\.\d+) /m.exec(changelog) ?? [];
  if (last && readBreaking(changelog) !== '' && !mayBreak(version, last)) {
    throw new Error(
      `CHANGELOG.md has breaking changes: ${version} after ${last} is too small a step.`,
    );
  }
  return changelog.replace(HEADING, `${HEADING}\n## ${version} - ${day}\n`);
}

/** The unreleased breaking changes: each by its path in the schema, such as \`Contact.lastName\`. */
export function readBreaking(changelog) {
  const [, breaking = ''] = readUnreleased(changelog).split(/^### Breaking\n/m);
  return breaking.split(/^### /m)[0].trim();
}

function readUnreleased(changelog) {
  const [, after] = changelog.split(HEADING);
  if (after === undefined) throw new Error('CHANGELOG.md has no heading "## Unreleased".');
  return after.split(/^## /m)[0];
}

/** By Semantic Versioning: the first number that is not zero. */
function mayBreak(now, before) {
  const [[major, minor], [majorBefore, minorBefore]] = [now, before].map((text) =>
    text.split('.').map(Number),
  );
  return major > majorBefore || (major === majorBefore && major === 0 && minor > minorBefore);
}

const HEADING = '\n## Unreleased\n';
