import type { MappingProblemKind, SourcedField } from '../domain/custom-field.ts';
import {
  type CustomFieldStore,
  type FoundProblem,
  findFieldProblems,
  findSources,
  findUnknownObjects,
  MAX_PROBLEMS,
  type MappingProblem,
  type ProviderFieldType,
  type StoredProblem,
} from '../domain/custom-fields.ts';
import type { KeysetRange } from '../domain/provider.ts';
import { RECORDS } from '../domain/records/catalogue.ts';
import { NotFilterableError } from '../domain/records/conditions.ts';
import type { CrmRecord, RecordKind } from '../domain/records/record.ts';
import type { FieldSelection, RecordTarget } from '../domain/records/record-search.ts';
import { mapRecords, RECORD_TYPES } from '../domain/records/record-type.ts';
import { findMappedConnection } from './map-custom-fields.ts';
import { type CrmClient, openCrmClient } from './open-crm-client.ts';
import { attemptProviderFields, isUnavailable, type ProviderFieldDeps } from './provider-fields.ts';
import { listReadable } from './record-access.ts';
import { searchByCustomField } from './search-by-custom-field.ts';
import type { SelectionDeps } from './select-custom-fields.ts';

/**
 * The mappings of a connection that cannot be used: by what they say, by the CRM's fields, and by what searches have
 * seen of it. Where there are any, the CRM is asked again, so that a problem ends with the first read after its cause.
 */
export function readMappingProblems(
  deps: ProblemDeps,
  target: RecordTarget,
): Promise<readonly MappingProblem[]> {
  return deps.withSpan('readMappingProblems', async () => {
    const connection = await findMappedConnection(deps, target);
    const customFields = await deps.loadCustomFields();
    if (RECORD_TYPES.every((record) => customFields[record].definitions.length === 0)) return [];
    const provider = deps.providers.get(connection.providerName);
    const records = provider?.crm?.records;
    const readable = listReadable(provider, connection);
    const objectNames = mapRecords((record) => records?.[record]?.objectName);
    const stored = await deps.customFields.listProblems(connection.id);
    const sourced = RECORD_TYPES.map((record) => ({
      kind: RECORDS[record],
      ...findSources(customFields[record], connection, objectNames[record]),
    }));
    const inCrm = sourced.map(({ kind, fields }) => {
      const seen = stored.filter(
        (one) => one.record === kind.type && isOfCrm(one) && findField(fields, one) !== undefined,
      );
      const isReadable = fields.length > 0 && readable.includes(kind.type);
      return isReadable ? findInCrm(deps, target, { kind, fields, seen }) : [];
    });
    const found = unique([
      ...sourced.flatMap(({ problems }) => problems),
      ...findUnknownObjects(connection, objectNames),
      ...(await Promise.all(inCrm)).flat(),
    ]);
    const ended = stored.filter((one) => !includes(found, one));
    await deps.endProblems(connection.id, ended);
    const fresh = found.filter((one) => !includes(stored, one));
    const noted = await deps.customFields.noteProblems(connection, fresh);
    const byName = new Map([...stored, ...noted].map((one) => [nameOf(one), one]));
    return found.flatMap((one) => {
      const known = byName.get(nameOf(one));
      if (!known) return [];
      const { record, field, source, problem, since } = known;
      return [{ record, field, source, problem, since }];
    });
  });
}

/** The problems of one type of record that the CRM shows. While it cannot be asked, those that it has shown. */
async function findInCrm(
  deps: ProblemDeps,
  target: RecordTarget,
  { kind, fields, seen }: Observed,
): Promise<readonly FoundProblem[]> {
  const open = () => openCrmClient(deps, target, kind);
  const known = await attemptProviderFields(deps, kind, open);
  if (!known) return seen.map(toFound);
  const client = await open();
  const { isBuiltInField } = client.access;
  const find = (list: typeof known) =>
    findFieldProblems(
      kind.type,
      { resolved: fields, known: list.fields },
      (name) => isBuiltInField?.(kind.type, name) ?? false,
    );
  const listed = find(known);
  if (listed.length === 0 && seen.length === 0) return [];
  const current = known.isCached ? await attemptProviderFields(deps, kind, open, 'now') : known;
  if (!current) return [...listed, ...seen.map(toFound)];
  const found = find(current);
  const others = seen.filter((one) => !includes(found, one));
  const types = new Map(current.fields.map(({ name, type }) => [name.toLowerCase(), type]));
  return [...found, ...(await findAgain(deps, client, { kind, fields, seen: others, types }))];
}

/**
 * The problems that searches have seen, and see again: by the same record, or by the same search. Without such a
 * search, the list of fields has decided.
 */
async function findAgain(
  deps: ProblemDeps,
  { port, ...client }: CrmClient,
  {
    kind,
    fields,
    seen,
    types,
  }: Observed & { readonly types: ReadonlyMap<string, ProviderFieldType> },
): Promise<readonly FoundProblem[]> {
  const again: ProblemName[] = [];
  const toSelection = (problems: readonly ProblemName[]): FieldSelection => {
    const selected = problems.flatMap((one) => findField(fields, one) ?? []);
    const names = selected.map(({ name }) => name);
    const onProblem = ({ name, source }: SourcedField, problem: MappingProblemKind) =>
      void again.push({ record: kind.type, field: name, source, problem });
    const customFields = { key: '', names, fields: selected, onProblem };
    return { rawData: false, fields: new Set(), customFields };
  };
  const readWith = async (
    problems: readonly StoredProblem[],
    read: (selection: FieldSelection) => Promise<unknown>,
  ) => {
    if (problems.length === 0) return;
    try {
      await read(toSelection(problems));
    } catch (error) {
      if (isUnavailable(error)) again.push(...problems);
      else if (!(error instanceof NotFilterableError)) throw error;
    }
  };
  const ofValues = seen.filter((one) => one.problem === 'TYPE_MISMATCH' && one.remoteId !== null);
  const ids = [...new Set(ofValues.flatMap(({ remoteId }) => remoteId ?? []))];
  const ofRelated = seen.filter(
    ({ problem, source }) => LISTED.has(problem) && source.includes('.'),
  );
  const ofFilters = seen.filter(({ problem }) => problem === 'NOT_FILTERABLE');
  const records = port.of(kind);
  await Promise.all([
    readWith(ofValues, (selection) => records.findByIds(ids, selection)),
    readWith(ofRelated, (selection) => records.readList({ by: 'all' }, ONE, selection)),
    ...ofFilters.map((one) =>
      readWith([one], async (selection) => {
        const { type = 'TEXT' } = findField(fields, one) ?? {};
        const equals = SAMPLES[types.get(one.source.toLowerCase()) ?? type];
        const filter = { by: 'customField', name: one.field, equals } as const;
        await searchByCustomField(
          deps,
          { kind, client: { port, ...client }, filter, selection },
          (list) => records.readList(list, ONE, selection),
        );
      }),
    ),
  ]);
  return seen.filter((one) => includes(again, one)).map(toFound);
}

/** What a field of each type can be compared with. */
const SAMPLES: Readonly<Record<ProviderFieldType, string>> = {
  TEXT: 'x',
  NUMBER: '1',
  BOOLEAN: 'true',
  DATE: '2026-01-31',
  DATETIME: '2026-01-31T00:00:00Z',
  CHOICE: 'x',
  CHOICES: 'x',
  REFERENCE: '000000000000000',
  OTHER: 'x',
};

const ONE: KeysetRange = { direction: 'forward', from: undefined, limit: 1 };

/** The others are found in the mappings themselves. */
function isOfCrm({ problem }: ProblemName): boolean {
  return LISTED.has(problem) || problem === 'TYPE_MISMATCH' || problem === 'NOT_FILTERABLE';
}

const LISTED: ReadonlySet<MappingProblemKind> = new Set(['MISSING', 'HIDDEN']);

/** Undefined: the mapping has changed since. */
function findField(fields: readonly SourcedField[], { field, source }: ProblemName) {
  return fields.find((one) => one.name === field && one.source === source);
}

function toFound({ record, field, source, problem }: ProblemName): FoundProblem {
  return { record, field, source, problem };
}

function unique(problems: readonly FoundProblem[]): readonly FoundProblem[] {
  const byName = new Map(problems.map((one) => [nameOf(one), one]));
  return [...byName.values()].slice(0, MAX_PROBLEMS);
}

function includes(problems: readonly ProblemName[], searched: ProblemName): boolean {
  return problems.some((one) => nameOf(one) === nameOf(searched));
}

function nameOf({ record, field, source, problem }: ProblemName): string {
  return JSON.stringify([record, field, source, problem]);
}

type ProblemName = Pick<FoundProblem, 'record' | 'field' | 'source' | 'problem'>;

interface Observed {
  readonly kind: RecordKind<CrmRecord>;
  readonly fields: readonly SourcedField[];
  /** By searches, of these fields. */
  readonly seen: readonly StoredProblem[];
}

export interface ProblemDeps extends ProviderFieldDeps, Pick<SelectionDeps, 'loadCustomFields'> {
  readonly customFields: CustomFieldStore;
  /** Ends problems in the store, and lets searches store them again. */
  endProblems(connectionId: string, problems: readonly StoredProblem[]): Promise<void>;
}
