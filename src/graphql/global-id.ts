import { isProviderName, type ProviderName } from '../domain/provider-names.ts';

/** Grows when the parts change their meaning: old ids are then told from new ones. */
const VERSION = 1;

/** An id that is unique over applications, customers and providers, so that no client cache mixes two records. */
export function toGlobalId(id: GlobalId): string {
  const parts =
    id.type === 'Customer'
      ? [id.applicationId, id.customerId]
      : [id.applicationId, id.customerId, id.provider, id.remoteId];
  return Buffer.from(JSON.stringify([VERSION, id.type, ...parts])).toString('base64url');
}

/** Undefined for anything that is not an id of ours. */
export function readGlobalId(text: string): GlobalId | undefined {
  const parts = parse(text);
  if (!Array.isArray(parts) || !parts.slice(1).every((part) => typeof part === 'string')) return undefined;
  const [version, type, applicationId, customerId, provider, remoteId] = parts as string[];
  if (Number(version) !== VERSION || applicationId === undefined || customerId === undefined)
    return undefined;
  if (type === 'Customer' && parts.length === 4) return { type, applicationId, customerId };
  if (type !== 'Contact' || parts.length !== 6 || remoteId === undefined) return undefined;
  if (provider === undefined || !isProviderName(provider)) return undefined;
  return { type, applicationId, customerId, provider, remoteId };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

type GlobalId = CustomerId | ContactId;

interface CustomerId {
  readonly type: 'Customer';
  readonly applicationId: string;
  readonly customerId: string;
}

interface ContactId {
  readonly type: 'Contact';
  readonly applicationId: string;
  readonly customerId: string;
  readonly provider: ProviderName;
  readonly remoteId: string;
}
