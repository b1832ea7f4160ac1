import { field, id, type Of, shape } from '../shape.ts';
import { type RecordType, recordType } from './record-type.ts';

/** A link of a record to one of another type, such as of a contact to a company. */
export interface RecordLink {
  readonly remoteId: string;
  readonly isPrimary: boolean;
}

/** The links of each record, by its id. */
export type LinksById = ReadonlyMap<string, readonly RecordLink[]>;

/** Asks for the links of these records to all records of a type. */
export interface LinkRequest {
  readonly to: RecordType;
  readonly ids: readonly string[];
}

/** One end of a link. */
export const linkedRecord = shape('LinkedRecord', 'One of two linked records.', {
  record: field(recordType, 'Type of the record.', { example: 'CONTACT' }),
  remoteId: field(id, 'Id of the record in the CRM.', { example: '101' }),
});
export type LinkedRecord = Of<typeof linkedRecord>;

export const linkEnds = {
  from: field(linkedRecord, 'One of the records.'),
  to: field(linkedRecord, 'The other one, of another type. Their order does not matter.'),
};

export const writtenLink = shape('WrittenLink', 'The two records of a link.', linkEnds);
