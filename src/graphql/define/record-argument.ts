import { recordType } from '../../domain/records/record-type.ts';
import { enumOf } from './from-shape.ts';

export const RECORD_DESCRIPTION = 'Type of the records.';

/** An argument of fields that each type of records has. */
export function recordArgument<Made>(arg: (options: RecordOptions) => Made): Made {
  return arg({
    type: enumOf(recordType),
    required: true,
    defaultValue: 'CONTACT',
    description: RECORD_DESCRIPTION,
  });
}

interface RecordOptions {
  readonly type: ReturnType<typeof enumOf<'CONTACT'>>;
  readonly required: true;
  readonly defaultValue: 'CONTACT';
  readonly description: string;
}
