import type { ContactTarget } from '../domain/contact-search.ts';
import type { MappingProblemKind, SourcedField } from '../domain/own-field.ts';
import {
  type FoundProblem,
  findFieldProblems,
  findSources,
  MAX_PROBLEMS,
  type MappingProblem,
  type OwnFieldStore,
} from '../domain/own-fields.ts';
import { findMappedConnection } from './map-own-fields.ts';
import { openContactClient } from './open-contact-client.ts';
import { attemptProviderFields, type ProviderFieldDeps } from './provider-fields.ts';
import type { SelectionDeps } from './select-own-fields.ts';

/**
 * The mappings of a connection that cannot be used: by what they say, by the CRM's fields, and by what searches have
 * seen of it.
 */
export function readMappingProblems(
  deps: ProblemDeps,
  target: ContactTarget,
): Promise<readonly MappingProblem[]> {
  return deps.withSpan('readMappingProblems', async () => {
    const connection = await findMappedConnection(deps, target);
    const own = await deps.loadOwnFields();
    if (own.fields.length === 0) return [];
    const { fields, problems } = findSources(own, connection);
    const known = await attemptProviderFields(deps, () => openContactClient(deps, target));
    const builtIn = deps.providers.get(connection.providerName)?.contacts?.isBuiltInField;
    const listed = known && findFieldProblems(fields, known, (name) => builtIn?.(name) ?? false);
    const found = unique([...problems, ...(listed ?? [])]);
    const stored = await deps.ownFields.listProblems(connection.id);
    const seen = stored.filter((one) => isObserved(one, fields, listed !== undefined));
    const sinceByName = new Map(stored.map((one) => [nameOf(one), one]));
    const fresh = found.filter((one) => !sinceByName.has(nameOf(one)));
    const noted = await deps.ownFields.noteProblems(connection, fresh);
    for (const one of noted) sinceByName.set(nameOf(one), one);
    const shown = found.flatMap((one) => sinceByName.get(nameOf(one)) ?? []);
    const others = seen.filter((one) => !shown.some((other) => nameOf(other) === nameOf(one)));
    return [...shown, ...others].slice(0, MAX_PROBLEMS);
  });
}

/**
 * Whether a stored problem still counts. Whether the contact has a field is known by the list of fields; fields of
 * related records and values are known only by searches.
 */
function isObserved(
  { field, source, problem }: FoundProblem,
  resolved: readonly SourcedField[],
  isListed: boolean,
): boolean {
  const isCurrent = resolved.some((one) => one.name === field && one.source === source);
  const isListable = BY_LIST.has(problem) && !source.includes('.');
  return isCurrent && !(isListable && isListed);
}

const BY_LIST: ReadonlySet<MappingProblemKind> = new Set(['MISSING', 'HIDDEN']);

function unique(problems: readonly FoundProblem[]): readonly FoundProblem[] {
  const byName = new Map(problems.map((one) => [nameOf(one), one]));
  return [...byName.values()].slice(0, MAX_PROBLEMS);
}

function nameOf({ field, source, problem }: FoundProblem): string {
  return JSON.stringify([field, source, problem]);
}

export interface ProblemDeps extends ProviderFieldDeps, Pick<SelectionDeps, 'loadOwnFields'> {
  readonly ownFields: OwnFieldStore;
}
