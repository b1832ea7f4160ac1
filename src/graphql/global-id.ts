import type { ContactOrigin } from '../domain/contact.ts';
import { isProviderName } from '../domain/provider-names.ts';
import { parseJson } from '../lib/json.ts';

/** The format version of ids, incremented when their parts change meaning. */
const VERSION = 1;

/** A globally unique id, over applications, customers and providers, so that client caches never mix two records. */
export function toGlobalId(id: GlobalId): string {
  const { type, applicationId, customerId } = id;
  const record = type === 'Contact' ? [id.provider, id.remoteId] : [];
  return Buffer.from(JSON.stringify([VERSION, type, applicationId, customerId, ...record])).toString(
    'base64url',
  );
}

/** Undefined for anything that is not a valid id. */
export function readGlobalId(text: string): GlobalId | undefined {
  const parts = parseJson(Buffer.from(text, 'base64url').toString('utf8'));
  if (!Array.isArray(parts) || !parts.slice(1).every((part) => typeof part === 'string')) return undefined;
  const [version, type, applicationId, customerId, provider, remoteId] = parts as string[];
  if (Number(version) !== VERSION || applicationId === undefined || customerId === undefined)
    return undefined;
  if (type === 'Customer' && parts.length === 4) return { type, applicationId, customerId };
  if (type !== 'Contact' || parts.length !== 6 || remoteId === undefined) return undefined;
  if (provider === undefined || !isProviderName(provider)) return undefined;
  return { type, applicationId, customerId, provider, remoteId };
}

type GlobalId = CustomerId | ContactId;

interface CustomerId extends Omit<ContactOrigin, 'provider'> {
  readonly type: 'Customer';
}

interface ContactId extends ContactOrigin {
  readonly type: 'Contact';
  readonly remoteId: string;
}
