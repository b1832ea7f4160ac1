import type { CustomFieldValue } from './custom-field.ts';
import { type ProviderField, providerField } from './custom-fields.ts';
import type { CrmChanges } from './records/field-writes.ts';
import type { LinkedRecord, RecordLink } from './records/link.ts';
import type { LinkVerb } from './records/link-changes.ts';
import type { RecordType } from './records/record-type.ts';
import type { Changes, FieldWrite } from './records/writable.ts';
import type { WriteProblem, WriteRecord, WrittenRecord } from './records/write.ts';
import { boolean, field, int, nullable, type Of, shape } from './shape.ts';

/** A field of the CRM, with what it takes. */
export interface DescribedField extends ProviderField {
  readonly writing: {
    readonly canCreate: boolean;
    readonly canUpdate: boolean;
    /** A new record needs a value, and it cannot be cleared. */
    readonly isRequired: boolean;
    readonly canClear: boolean;
    readonly maxLength: number | null;
    /** Its options are not all that it takes. */
    readonly takesOthers: boolean;
    /** The CRM lets no two records have the same value, and finds a record by it. */
    readonly isUnique: boolean;
    /** The CRM's own type of its values, where an adapter needs it to send them. */
    readonly wireType?: string | undefined;
  };
}

/** What an API says of such a field. */
export const writableField = shape('WritableField', 'A field of the CRM that can be written.', {
  ...providerField.fields,
  canCreate: field(boolean, 'Whether a new record may have a value.'),
  canUpdate: field(boolean, 'Whether the value of an existing record may be changed.'),
  isRequired: field(boolean, 'Whether a new record needs a value.'),
  maxLength: nullable(int, 'Length of the longest text that it takes, if the CRM says so.'),
  isUnique: field(
    boolean,
    'Whether no two records can have the same value, so that an upsert can find a record by it.',
  ),
});
export type WritableField = Of<typeof writableField>;

/**
 * What an adapter can write of one type of record. Checks, matching, comparison and bookkeeping are the use case's: an
 * adapter finds records and sends what was decided.
 */
export interface RecordWriter {
  /** How each field of the changes in common becomes fields of the CRM. */
  readonly fields: Readonly<Record<string, FieldWrite>>;
  /** The CRM's field that finds the record of an upsert. Null: the input names a field with unique values. */
  readonly keyField: string | null;
  /** Parts of fields that the CRM takes as a whole: an entry of a list of addresses. They are in no list of its fields. */
  readonly parts?: readonly DescribedField[];
  /** A new record needs at least one of these fields of the CRM. */
  readonly requiresOneOf?: readonly string[];
  /** Whether the CRM itself makes an upsert by key one record, however often it is sent. */
  readonly isUpsertAtomic?: true;
  /** Whether keys are found by an index that may be late: a record that is not found may exist. */
  readonly findsByIndex?: true;
  /** Completes and checks the translated changes of a record by what the CRM has besides fields: its pipelines. */
  prepare?(translated: CrmChanges, given: Changes): Promise<CrmChanges>;
  /** The records with these ids or keys, as they are now, with the values of these fields of the CRM. */
  find(question: FindQuestion): Promise<ReadonlyMap<string, readonly CurrentRecord[]>>;
  /** Warnings about records that may be the same as these, by the index of the write. */
  findSimilar?(writes: readonly PlannedWrite[]): Promise<ReadonlyMap<number, WriteProblem>>;
  /**
   * Sends writes in as few calls as possible. It calls `before` and awaits it before each call, and `after` with what
   * became of the records of that call. It rejects only where nothing more was carried out than `after` was told.
   */
  send(writes: readonly PlannedWrite[], options: SendOptions): Promise<void>;
}

/** What an adapter can write of the links between records. The use case reads them, and decides what is to be sent. */
export interface LinkWriter {
  rulesOf(pair: LinkPair): Promise<LinkRules>;
  /** As `send` of a `RecordWriter`. */
  send(links: readonly PlannedLink[], options: SendOptions): Promise<void>;
}

/** Types of linked records. The one that has the link comes first: see `LINK_HOLDERS`. */
export interface LinkPair {
  readonly from: RecordType;
  readonly to: RecordType;
}

export interface LinkRules {
  /** Whether a record is linked to one record of the other type at most, which is the primary one. */
  readonly holdsOne: boolean;
  /** Whether one of the links can be the primary one. */
  readonly hasPrimary: boolean;
  /** Whether a link can stay that is not the primary one any more. */
  readonly canDemote?: true;
  /** Whether the CRM may remove the link that was the primary one before. */
  readonly mayLosePrimary?: true;
  /** How more than one would be possible, as a sentence. */
  readonly hint?: string;
}

/** One link to be sent. */
export interface PlannedLink {
  readonly index: number;
  readonly verb: LinkVerb;
  readonly from: LinkedRecord;
  readonly to: LinkedRecord;
  /** It is to be the primary one, or with `unlink` to stay and be that no more. */
  readonly isPrimary: boolean;
  /** The links that `from` had to records of that type. */
  readonly current: readonly RecordLink[];
}

export interface FindQuestion {
  /** `key`: by the writer's `keyField`. Otherwise the name of another field with unique values. */
  readonly by: 'id' | 'key' | { readonly field: string };
  readonly texts: readonly string[];
  readonly names: readonly string[];
}

/** A record as it is in the CRM. */
export interface CurrentRecord {
  readonly remoteId: string;
  readonly createdAt: string | null;
  readonly lastModifiedAt: string | null;
  /** By the CRM's names, unread. */
  readonly values: Readonly<Record<string, unknown>>;
}

/** One record to be sent. `key`: that of an upsert. A new record is created unless one with the key exists by then. */
export interface PlannedWrite {
  readonly index: number;
  readonly verb: 'create' | 'update';
  readonly remoteId: string | null;
  readonly key: string | null;
  /** The CRM's field that has the key. */
  readonly keyField: string | null;
  readonly values: ReadonlyMap<string, CustomFieldValue>;
  /** The CRM's own types of these values, as far as they were described. */
  readonly wireTypes: ReadonlyMap<string, string>;
  readonly ifUnmodifiedSince: string | null;
}

export interface SendOptions {
  readonly allowDuplicates: boolean;
  before(writes: readonly Pick<PlannedWrite, 'index'>[]): Promise<void>;
  after(results: readonly SentWrite[]): Promise<void>;
}

/** What became of one record that was sent. */
export interface SentWrite {
  readonly index: number;
  /** NOT_SENT: the CRM certainly did not carry it out. */
  readonly outcome: 'CREATED' | 'UPDATED' | 'REFUSED' | 'UNKNOWN' | 'NOT_SENT';
  readonly remoteId: string | null;
  /** What the record has now, by the CRM's names, as far as the response says. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
  readonly problems: readonly CrmProblem[];
}

/** A problem in the words of the CRM. */
export interface CrmProblem extends Pick<WriteProblem, 'code' | 'isRetryable'> {
  readonly remoteCode: string | null;
  readonly remoteMessage: string | null;
  /** The CRM's name of the field. */
  readonly crmField?: string | undefined;
  readonly existingRemoteIds?: readonly string[] | undefined;
  /** The CRM's own words are not enough. */
  readonly message?: string | undefined;
}

/** A write as it is stored, sealed: never values of fields. */
export interface StoredItems {
  readonly version: 1;
  readonly items: readonly StoredItem[];
}

export interface StoredItem {
  /** `waiting`: certainly not sent. `sent`: the outcome is not known. `done`: it has its result. */
  readonly state: 'waiting' | 'sent' | 'done';
  /** Names of the given fields. */
  readonly fields: readonly string[];
  /** Of a write of links. */
  readonly link?: StoredLink;
  readonly result: Omit<WrittenRecord, 'index' | 'fields' | 'link'> | null;
  /** While the outcome is not known: what a read is compared with. */
  readonly sent: SentItem | null;
}

export interface StoredLink {
  readonly from: LinkedRecord;
  readonly to: LinkedRecord;
  readonly isPrimary: boolean;
}

export interface SentItem {
  readonly verb: 'create' | 'update';
  readonly remoteId: string | null;
  /** The key by which the record can be found. */
  readonly key: string | null;
  /** The field that has the key. Absent or null: the writer's `keyField`. */
  readonly keyField?: string | null | undefined;
  readonly at: number;
  /** The type of each value, and its keyed hash, by the CRM's names. */
  readonly hashes: Readonly<Record<string, readonly [type: string, hash: string]>>;
  readonly changedFields: readonly string[];
}

/** The writes of ONE application. */
export interface WriteStore {
  /** Inserts a write with a lease, or finds the one that has its idempotency key. */
  begin(write: NewWrite): Promise<BegunWrite>;
  /** Stores progress and extends the lease. False: another process has taken the write over. */
  progress(write: LeasedWrite, items: StoredItems): Promise<boolean>;
  /** Stores the results, ends the lease, and outdates what is cached of the connection. */
  finish(write: LeasedWrite, items: StoredItems, end: WriteEnd): Promise<boolean>;
  /** Removes a write of which nothing was sent. */
  forget(write: LeasedWrite): Promise<void>;
  find(id: string): Promise<StoredWrite | undefined>;
  list(request: WritesRequest): Promise<readonly StoredWrite[]>;
  /** A keyed hash, so that values can be compared that are not stored. */
  hash(text: string): string;
  isHashOf(hash: string, text: string): boolean;
}

export interface NewWrite {
  readonly id: string;
  readonly lease: string;
  readonly leaseMs: number;
  readonly customerId: string;
  readonly connectionId: string;
  readonly provider: WriteRecord['provider'];
  readonly operation: string;
  readonly credentialId: string;
  /** Null: none was given. */
  readonly idempotencyKey: string | null;
  /** Of the whole input. */
  readonly input: string;
  readonly items: StoredItems;
}

export type BegunWrite =
  /** `isNew`: this call has inserted it. Otherwise it goes on where another has stopped. */
  | { readonly kind: 'claimed'; readonly write: StoredWrite & LeasedWrite; readonly isNew: boolean }
  | { readonly kind: 'complete'; readonly write: StoredWrite }
  | { readonly kind: 'running' }
  /** The connection was removed. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'other input' };

export interface LeasedWrite {
  readonly id: string;
  readonly customerId: string;
  readonly connectionId: string;
  readonly lease: string;
  readonly leaseMs: number;
}

export interface WriteEnd {
  /** All outcomes are final. */
  readonly isComplete: boolean;
  /** A call with the same idempotency key may go on with it. */
  readonly isOpen: boolean;
  /** When a job looks again. Null: never. */
  readonly lookAgainAt: Date | null;
  /** Whether records were sent, so that what was cached before is outdated. */
  readonly hasSent: boolean;
  /** The event of a write that is complete now and was not when its caller got the results. */
  readonly isSettled: boolean;
}

export interface StoredWrite {
  readonly id: string;
  readonly applicationId: string;
  readonly customerId: string;
  readonly connectionId: string;
  readonly provider: WriteRecord['provider'];
  readonly operation: string;
  readonly credentialId: string;
  readonly createdAt: Date;
  readonly completedAt: Date | null;
  /** Undefined: the key that sealed them is missing. */
  readonly items: StoredItems | undefined;
  readonly attempts: number;
}

interface WritesRequest {
  readonly customerId: string;
  readonly after: { readonly createdAt: Date; readonly id: string } | undefined;
  readonly limit: number;
}

/** The writes of all applications whose outcome has to be looked up, for the job. */
export interface WriteQueue {
  claim(lease: string, leaseMs: number): Promise<(StoredWrite & LeasedWrite) | undefined>;
}

export const WRITE_TIMES: WriteTimes = { leaseMs: 30_000, settledMs: 120_000 };

export interface WriteTimes {
  /** Longer than any call to a CRM takes: a process that has not extended its lease has ended. */
  readonly leaseMs: number;
  /** So long after a call a CRM has carried it out, or never will. */
  readonly settledMs: number;
}
