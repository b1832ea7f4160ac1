import { measureSize } from '../../lib/json.ts';
import { withNotes } from '../../provider-texts.ts';
import type { CustomFieldValues } from '../custom-field.ts';
import { CrossbookError } from '../errors.ts';
import type { ProviderName } from '../provider-names.ts';
import { boolean, type Fields, field, id, moment, nullable, type Shape } from '../shape.ts';
import type { RecordType } from './record-type.ts';

/** A record of a customer's CRM in the common shape of its type. Plain data, which the APIs serialize as it is. */
export interface CrmRecord {
  readonly remoteId: string;
  readonly lastModifiedAt: string | null;
  readonly isDeleted: boolean;
  /** Its type and the connection that it comes from: one object, shared by all records of a search. */
  readonly source: RecordOrigin;
  /** Where its list goes on. Only in lists of CRMs that cannot begin one at a record. */
  readonly place?: RecordPlace | undefined;
  /** The provider's raw record; null unless selected. */
  readonly rawData: Readonly<Record<string, unknown>> | null;
  /** The selected custom fields of the application, by name; absent unless selected. */
  readonly customFields?: CustomFieldValues | undefined;
}

/** A place in a list of a CRM, which cursors keep. */
export interface RecordPlace {
  /** The CRM's own cursor, from which its list has all that follows the record. Undefined: the start. */
  readonly cursor: string | undefined;
  /** Whether other records may follow. */
  readonly hasMore: boolean;
}

export interface RecordOrigin {
  readonly type: RecordType;
  readonly applicationId: string;
  readonly customerId: string;
  readonly provider: ProviderName;
}

/**
 * A type of record, as the code that is the same for all of them needs it. What differs by behaviour or wording is in
 * files of its own for each type: filters, edges, tools.
 */
export interface RecordKind<Item extends CrmRecord> extends Nouns {
  readonly type: RecordType;
  /** Distinguishes what is stored of this type: cursors, cache entries, loaders. */
  readonly key: string;
  readonly shape: Shape<unknown>;
  /** The fields that can be selected; source and id are always present. */
  readonly fields: readonly string[];
  /** For the compiler: a kind belongs to its records. */
  readonly declares?: Item;
}

/** For texts: `contact`, `contacts`. */
interface Nouns {
  readonly noun: string;
  readonly nouns: string;
}

/** The fields that records of all types have. Timestamps are RFC 3339 in UTC with milliseconds. */
export function commonFields({ noun, nouns }: Nouns) {
  return {
    createdAt: nullable(moment, 'Time of creation in the CRM. ISO 8601, UTC.'),
    updatedAt: nullable(
      moment,
      withNotes(
        'Time of the last change that the CRM attributes to a user. ISO 8601, UTC.',
        'record.updatedAt',
      ),
    ),
    lastModifiedAt: nullable(
      moment,
      withNotes(
        'Time of the last change of any kind, also by the CRM itself. The filter `modifiedSince` compares it. ISO 8601, UTC.',
        'record.lastModifiedAt',
      ),
    ),
    isDeleted: field(
      boolean,
      `Whether the ${noun} was deleted in the CRM. Searches do not find deleted ${nouns}, so it is true only for one that is deleted while it is read. Tables of syncs mark deleted ${nouns}.`,
    ),
  } as const satisfies Fields;
}

export function remoteIdField({ noun }: Nouns, example: string) {
  return field(id, `Id of the ${noun} in the CRM.`, { restName: 'id', example });
}

/** A CRM's own record. Throws if it is larger, or nested deeper, than what a response may hold. */
export function toRawData(record: RawRecord): RawRecord {
  if (Number.isFinite(measureSize(record, RAW_LIMITS))) return record;
  throw new CrossbookError(
    'REMOTE_PROVIDER_BAD_RESPONSE',
    `A CRM record has more than ${RAW_LIMITS.levels} levels or ${RAW_LIMITS.size} characters, which is the limit of raw data. Search without raw data.`,
    { origin: 'remote-provider' },
  );
}

export const RAW_LIMITS = { levels: 64, size: 1024 * 1024 };

type RawRecord = Readonly<Record<string, unknown>>;
