import type { Connection } from '../domain/connection.ts';
import type { FieldSelection } from '../domain/contact-search.ts';
import { refuseMistakes } from '../domain/errors.ts';
import type { OwnFieldSelection } from '../domain/own-field.ts';
import {
  type FoundProblem,
  findSources,
  isSource,
  MAX_OWN_FIELDS,
  type OwnFields,
} from '../domain/own-fields.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import { quote } from '../lib/text.ts';
import { refuseMoreThan, refuseUndeclared } from './own-field-mistakes.ts';

/** The selection with the connection's sources of the selected own fields. Without any, it is returned as it is. */
export function selectOwnFields<Selection extends FieldSelection>(
  deps: SelectionDeps,
  connection: Connection,
  selection: Selection,
): MaybePromise<Selection> {
  checkRawFields(selection);
  const { ownFieldNames: wanted } = selection;
  if (wanted === undefined) return selection;
  if (wanted !== 'all') refuseMoreThan(MAX_NAMES, 'names', wanted);
  const loaded = deps.loadOwnFields();
  const select = (own: OwnFields) => withSources(deps, { connection, own, wanted }, selection);
  return loaded instanceof Promise ? loaded.then(select) : select(loaded);
}

function withSources<Selection extends FieldSelection>(
  deps: Pick<SelectionDeps, 'noteProblem'>,
  { connection, own, wanted }: Sources,
  selection: Selection,
): Selection {
  const names = wanted === 'all' ? own.fields.map(({ name }) => name) : [...new Set(wanted)];
  refuseUndeclared(own, names);
  if (names.length === 0) return selection;
  const { fields, key } = findSources(own, connection);
  const ownFields: OwnFieldSelection = {
    key,
    names,
    fields: fields.filter(({ name }) => names.includes(name)),
    onProblem: ({ name, source }, problem, remoteId) =>
      deps.noteProblem(connection, { field: name, source, problem, remoteId }),
  };
  return { ...selection, ownFields };
}

interface Sources {
  readonly connection: Connection;
  readonly own: OwnFields;
  readonly wanted: 'all' | readonly string[];
}

/** The same field may be selected in several places. */
const MAX_NAMES = 10 * MAX_OWN_FIELDS;

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
  /** The application's own fields, at most five seconds old. */
  loadOwnFields(): MaybePromise<OwnFields>;
  /** Stores a problem in the background, unless this process has done so within the hour. */
  noteProblem(connection: Connection, problem: FoundProblem): void;
}
