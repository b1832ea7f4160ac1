import { texts as hubspot } from './providers/hubspot/texts.ts';
import { texts as pipedrive } from './providers/pipedrive/texts.ts';
import { texts as salesforce } from './providers/salesforce/texts.ts';

/** What each CRM is special in. Its sentences are in its own folder, and descriptions are composed of them. */
const TEXTS = { hubspot, salesforce, pipedrive } as const satisfies Readonly<
  Record<string, ProviderTexts>
>;

/** A description, followed by what CRMs are special in. */
export function withNotes(description: string, place: NotedPlace): string {
  const notes = all.flatMap(({ notes }) => notes[place] ?? []);
  return [description, ...notes].join(' ');
}

/** The description of a condition of a filter, followed by which CRMs have no such search. */
export function withLacking(description: string, record: RecordName, filter: string): string {
  const notes = all.flatMap(({ lacks }) => (lacks?.[record]?.includes(filter) ? lacks.note : []));
  return [description, ...notes].join(' ');
}

/** The field of each CRM from which an example of a custom field is read. */
export function toExampleSources(name: ExampleField) {
  return ENTRIES.flatMap(([provider, { examples }]) => {
    const field = examples.fields?.[name];
    return field === undefined ? [] : [{ provider, field }];
  });
}

const all: readonly ProviderTexts[] = Object.values(TEXTS);
const ENTRIES = Object.entries(TEXTS) as readonly [keyof typeof TEXTS, ProviderTexts][];

/** Addresses as a CRM of the registry has them. */
export const EXAMPLE_URLS = {
  account: all.find(({ examples }) => examples.accountUrl)?.examples.accountUrl,
  instance: all.find(({ examples }) => examples.instanceUrl)?.examples.instanceUrl,
};

/** Texts of one provider. */
export interface ProviderTexts {
  /** What it is special in, by the description to which the sentence is added. */
  readonly notes: Readonly<Partial<Record<NotedPlace, string>>>;
  /** The conditions by which it cannot search records of a type, and what their descriptions say of it. */
  readonly lacks?: { readonly note: string } & Readonly<Record<RecordName, readonly string[]>>;
  readonly examples: {
    /** An account, as users open it. */
    readonly accountUrl?: string;
    /** An instance, where each customer has one. */
    readonly instanceUrl?: string;
    /** Absent where each account has names of its own. */
    readonly fields?: Readonly<Record<ExampleField, string>>;
  };
}

/** A type of record, one of its fields or filters, or another declaration with a description. */
export type NotedPlace =
  | 'record.updatedAt'
  | 'record.lastModifiedAt'
  | 'record.lifecycleStage'
  | 'contact.email'
  | 'company'
  | 'company.domain'
  | 'deal'
  | 'customFieldSource.field'
  | 'connectedAccount'
  | 'connection.instanceUrl'
  | 'contactChanges.accountId'
  | 'contactChanges.phoneNumbers'
  | 'companyChanges.domain'
  | 'companyChanges.annualRevenue'
  | 'companyChanges.parentId'
  | 'companyChanges.lifecycleStage'
  | 'contactChanges.lifecycleStage'
  | 'dealChanges.amount'
  | 'dealChanges.stageId'
  | 'dealChanges.closeDate'
  | 'dealChanges.nextStep'
  | 'write.ifUnmodifiedSince';

type ExampleField = 'favoriteColor' | 'jobTitle';

type RecordName = 'CONTACT' | 'COMPANY' | 'DEAL';
