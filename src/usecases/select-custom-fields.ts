import type { Connection } from '../domain/connection.ts';
import type { CustomFieldSelection } from '../domain/custom-field.ts';
import {
  type CustomFields,
  type CustomFieldsByRecord,
  type FoundProblem,
  findSources,
  isSource,
  MAX_CUSTOM_FIELDS,
} from '../domain/custom-fields.ts';
import { refuseMistakes } from '../domain/errors.ts';
import type { CrmAccess } from '../domain/provider.ts';
import type { CrmRecord, RecordKind } from '../domain/records/record.ts';
import type { FieldSelection } from '../domain/records/record-search.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { quote } from '../lib/text.ts';
import { refuseMoreThan, refuseUndeclared } from './custom-field-mistakes.ts';

/** The selection of records of a type, with the connection's sources of the selected custom fields. Without any, it is returned as it is. */
export function selectCustomFields<Selection extends FieldSelection>(
  deps: SelectionDeps,
  { type }: Pick<RecordKind<CrmRecord>, 'type'>,
  client: SelectingClient,
  selection: Selection,
): MaybePromise<Selection> {
  checkRawFields(selection);
  const { customFieldNames } = selection;
  if (customFieldNames === undefined) return selection;
  if (customFieldNames !== 'all') refuseMoreThan(MAX_NAMES, 'names', customFieldNames);
  const loaded = deps.loadCustomFields();
  const select = (declared: CustomFieldsByRecord) =>
    withSources(deps, { client, declared: declared[type], customFieldNames }, selection);
  return loaded instanceof Promise ? loaded.then(select) : select(loaded);
}

function withSources<Selection extends FieldSelection>(
  deps: Pick<SelectionDeps, 'noteProblem'>,
  { client: { connection, access }, declared, customFieldNames }: Sources,
  selection: Selection,
): Selection {
  const names =
    customFieldNames === 'all'
      ? declared.definitions.map(({ name }) => name)
      : [...new Set(customFieldNames)];
  refuseUndeclared(declared, names);
  if (names.length === 0) return selection;
  const { record } = declared;
  const { fields, key } = findSources(declared, connection, access?.records[record]?.objectName);
  const customFields: CustomFieldSelection = {
    key,
    names,
    fields: fields.filter(({ name }) => names.includes(name)),
    onProblem: ({ name, source }, problem, remoteId) =>
      deps.noteProblem(connection, { record, field: name, source, problem, remoteId }),
  };
  return { ...selection, customFields };
}

interface SelectingClient {
  readonly connection: Connection;
  readonly access: Pick<CrmAccess, 'records'> | undefined;
}

interface Sources {
  readonly client: SelectingClient;
  readonly declared: CustomFields;
  readonly customFieldNames: 'all' | readonly string[];
}

/** The same field may be selected in several places. */
const MAX_NAMES = 10 * MAX_CUSTOM_FIELDS;

/** Names of fields of a CRM, which are part of its queries. */
function checkRawFields({ rawFields = [] }: FieldSelection): void {
  refuseMoreThan(MAX_NAMES, 'names', rawFields);
  const wrong = rawFields.filter((name) => !isSource(name)).slice(0, 10);
  if (wrong.length > 0)
    refuseMistakes([`Not a valid name of a CRM field: ${wrong.map(quote).join(', ')}`]);
  if (new Set(rawFields).size > MAX_RAW_FIELDS)
    refuseMistakes([`Raw data can have at most ${MAX_RAW_FIELDS} further fields`]);
}

const MAX_RAW_FIELDS = 100;

export interface SelectionDeps {
  /** The application's custom fields, at most five seconds old. */
  loadCustomFields(): MaybePromise<CustomFieldsByRecord>;
  /** Stores a problem in the background, unless this process has done so within the hour. */
  noteProblem(connection: Connection, problem: FoundProblem): void;
}
