import { recordType } from '../../domain/records/record-type.ts';
import { builder } from './builder.ts';
import { enumOf } from './from-shape.ts';

export const RECORD_DESCRIPTION = 'Type of the records.';

/** The argument of fields that each type of records has. */
export const recordArgument = builder.args((t) => ({
  record: t.field({
    type: enumOf(recordType),
    required: true,
    defaultValue: 'CONTACT',
    description: RECORD_DESCRIPTION,
  }),
}));
