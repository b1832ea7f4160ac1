import { notFound, SalesforceError } from '../errors.ts';

/** `v68.0`: versions below the oldest are 410, above the newest 404. */
export function checkVersion(named: string): string {
  const version = /^v(\d{2}\.0)$/.exec(named)?.[1];
  if (version === undefined || Number(version) > NEWEST_VERSION) throw notFound();
  if (Number(version) >= OLDEST_VERSION) return version;
  const message = `The requested resource is no longer available. API version ${version} is retired.`;
  throw new SalesforceError(410, 'GONE', message);
}

export function listVersions(): readonly object[] {
  return Array.from({ length: NEWEST_VERSION - OLDEST_VERSION + 1 }, (_, place) => {
    const version = `${OLDEST_VERSION + place}.0`;
    return { label: `Release ${version}`, url: `/services/data/v${version}`, version };
  });
}

const OLDEST_VERSION = 41;
const NEWEST_VERSION = 68;
