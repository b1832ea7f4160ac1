import { BACKGROUND_WORK, type RequestWork, type Work } from '../../src/admission/work.ts';
import type { Contact } from '../../src/domain/records/contact.ts';
import type { FieldSelection, SelectedFields } from '../../src/domain/records/record-search.ts';

import { createLookupBatcher, type Lookup } from '../../src/outbound/lookup-batcher.ts';
import type { OnProgress } from '../../src/outbound/send.ts';
import { createFakeClock, settle } from '../support/clock.ts';

/** A batcher whose calls are answered when the test says so. */
export function openLookupBatcher({ spacingMs = 0, defer = atOnce } = {}) {
  const clock = createFakeClock();
  const lookups = createLookupBatcher({
    clock,
    batchSize: 100,
    maxInFlight: 3,
    defer,
    spacingMs: () => spacingMs,
  });
  const calls: Call[] = [];
  const unanswered: Call[] = [];
  const find = (emails: readonly string[], asked: Asked = {}) => {
    const {
      key = 'plain',
      deadline = clock.now() + 10_000,
      fields,
      work = BACKGROUND_WORK,
    } = asked;
    const selection = { rawData: false, fields };
    return lookups.find({ keys: emails, selection, key, deadline, work, findByKey });
  };

  const findByKey: Lookup['findByKey'] = (emails, selection, { deadline, work, onProgress }) =>
    new Promise((resolve, reject) => {
      const found = new Map(emails.map((email) => [email, [{ remoteId: email } as Contact]]));
      let isAbandoned = false;
      work.signal?.add(() => {
        isAbandoned = true;
      });
      const call: Call = {
        emails,
        selection,
        deadline,
        work,
        reject,
        onProgress,
        isAbandoned: () => isAbandoned,
        resolve: () => resolve(found),
      };
      calls.push(call);
      unanswered.push(call);
    });

  async function answerOne(error?: Error) {
    const call = unanswered.shift();
    if (error) call?.reject(error);
    else call?.resolve();
    await settle();
  }

  async function answerAll(error?: Error) {
    while (unanswered.length > 0) await answerOne(error);
  }
  return { find, lookups, calls, clock, answerOne, answerAll };
}

function atOnce(callback: () => void): void {
  callback();
}

interface Asked {
  readonly key?: string;
  readonly deadline?: number;
  readonly fields?: SelectedFields;
  readonly work?: RequestWork | undefined;
}

interface Call {
  readonly onProgress: OnProgress | undefined;
  readonly selection: FieldSelection;
  readonly emails: readonly string[];
  readonly deadline: number;
  readonly work: Work;
  isAbandoned(): boolean;
  resolve(): void;
  reject(error: Error): void;
}
