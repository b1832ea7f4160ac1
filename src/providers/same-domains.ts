import type { RecordAdapter } from '../domain/provider.ts';
import type { Company } from '../domain/records/company.ts';
import { readDomain } from '../domain/records/conditions.ts';
import { toProblem } from '../domain/records/field-writes.ts';
import { MAX_EXISTING_IDS, type WriteProblem } from '../domain/records/write.ts';
import type { PlannedWrite } from '../domain/writing.ts';

/** Warns of companies that get a domain which others have: no CRM keeps domains unique. */
export async function warnOfDomains(
  writes: readonly PlannedWrite[],
  { companies, toDomain }: DomainSearch,
): Promise<ReadonlyMap<number, WriteProblem>> {
  const domains = new Map<PlannedWrite, string>();
  for (const write of writes) {
    const domain = readDomain(toDomain(write.values) ?? '')?.replace(/^www\./, '');
    if (domain !== undefined) domains.set(write, domain);
  }
  const found = await search(companies, [...new Set(domains.values())]);
  const warnings = new Map<number, WriteProblem>();
  for (const [{ index, remoteId }, domain] of domains) {
    const others = found.filter((one) => one.domain === domain && one.remoteId !== remoteId);
    if (others.length === 0) continue;
    const existingRemoteIds = others.slice(0, MAX_EXISTING_IDS).map((one) => one.remoteId);
    const message = 'Another company in the CRM has this domain.';
    warnings.set(index, toProblem('ALREADY_EXISTS', message, null, { existingRemoteIds }));
  }
  return warnings;
}

async function search(
  { readList }: Pick<RecordAdapter<Company>, 'readList'>,
  domains: readonly string[],
): Promise<readonly Company[]> {
  const found: Company[] = [];
  for (const some of inParts(domains)) {
    const filter = { by: 'domains', domains: some } as const;
    try {
      found.push(...(await readList(filter, RANGE, { rawData: false, fields: FIELDS })));
    } catch {
      // It is a warning only: the write goes on without it.
    }
  }
  return found;
}

/** Domains that fit into one query of each CRM. */
function inParts(domains: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = [];
  let length = MAX_LENGTH;
  for (const domain of domains) {
    length += domain.length;
    if (length > MAX_LENGTH) {
      parts.push([]);
      length = domain.length;
    }
    parts.at(-1)?.push(domain);
  }
  return parts;
}

const MAX_LENGTH = 2_500;
const RANGE = { direction: 'forward', from: undefined, limit: 500 } as const;
const FIELDS: ReadonlySet<string> = new Set(['domain']);

interface DomainSearch {
  readonly companies: Pick<RecordAdapter<Company>, 'readList'>;
  /** The domain that a write gives a company, as the CRM's fields have it. */
  toDomain(values: PlannedWrite['values']): string | null;
}
