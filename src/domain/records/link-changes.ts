import { boolean, field, type Of, patch, shape } from '../shape.ts';
import { type LinkedRecord, linkEnds } from './link.ts';
import type { RecordTarget } from './record-search.ts';
import type { RecordType } from './record-type.ts';
import { writeResultFields } from './write.ts';

export const linkCreation = patch('LinkCreation', 'Two records to link.', linkEnds, {
  isPrimary: field(
    boolean,
    'Whether the link is to be the primary one of its kind, such as to the primary company of a contact, in place of the one that is. Default: the primary one stays as it is.',
  ),
});

export const linkRemoval = patch(
  'LinkRemoval',
  'Two records whose link is to be removed.',
  linkEnds,
  {
    isPrimary: field(
      boolean,
      'Whether the records are to stay linked, and the link is only not to be the primary one any more. Default: the link is removed.',
    ),
  },
);

const { index, outcome, problems, warnings } = writeResultFields;

export const linkWriteResult = shape('LinkWriteResult', 'What became of one link of a write.', {
  index,
  outcome,
  problems,
  warnings,
});
export type LinkWriteResult = Of<typeof linkWriteResult>;

export type LinkVerb = 'link' | 'unlink';

/** The names of the operations. */
export const LINK_OPERATIONS: Readonly<Record<LinkVerb, string>> = {
  link: 'linkRecords',
  unlink: 'unlinkRecords',
};

export function toLinkVerb(operation: string): LinkVerb | undefined {
  if (operation === LINK_OPERATIONS.link) return 'link';
  return operation === LINK_OPERATIONS.unlink ? 'unlink' : undefined;
}

export interface LinkInput extends RecordTarget {
  readonly idempotencyKey?: string | null | undefined;
  readonly dryRun?: boolean | null | undefined;
  readonly links: readonly LinkItem[];
}

/** One link of a write, unchecked. */
export interface LinkItem {
  readonly from: LinkedRecord;
  readonly to: LinkedRecord;
  readonly isPrimary?: boolean | null | undefined;
}

/**
 * The type that has the link comes first: a deal has contacts and companies, and a contact has companies. What is
 * primary, or the only one, is so for that record.
 */
export const LINK_HOLDERS: readonly RecordType[] = ['DEAL', 'CONTACT', 'COMPANY'];
