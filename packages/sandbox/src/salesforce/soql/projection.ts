import { queryFault } from '../errors.ts';
import { parentOf, resolveField, type Scope, type Step } from './fields.ts';
import type { FieldGroup, Name } from './syntax.ts';
import type { FieldDefinition, Row, Table } from './table.ts';

/** The columns of a query: a record's own fields, and those of its parents nested under their names. */
export function bindProjection(scope: Scope, items: readonly (Name | FieldGroup)[]): Projection {
  const root = emptyProjection(scope.table);
  for (const item of items) {
    const names = 'group' in item ? expand(scope, item) : [item];
    for (const name of names) add(root, scope, name);
  }
  return root;
}

export function toRecord(projection: Projection, row: Row, version: string): WireRecord {
  const { name } = projection.table.definition;
  const record: WireRecord = {
    attributes: { type: name, url: `/services/data/v${version}/sobjects/${name}/${row['Id']}` },
  };
  for (const field of projection.fields) record[field] = row[field] ?? null;
  for (const [relation, { step, projection: nested }] of projection.parents) {
    const parent = parentOf(step, row);
    record[relation] = parent === undefined ? null : toRecord(nested, parent, version);
  }
  return record;
}

function expand({ table }: Scope, { at, group }: FieldGroup): readonly Name[] {
  const fits = ({ name }: FieldDefinition): boolean =>
    group === 'ALL' || name.endsWith('__c') === (group === 'CUSTOM');
  return [...table.definition.fields.values()].filter(fits).map(({ name }) => ({ text: name, at }));
}

function add(root: Projection, scope: Scope, name: Name): void {
  const { steps, definition } = resolveField(scope, name);
  let projection = root;
  for (const step of steps) {
    const existing = projection.parents.get(step.name);
    const next = existing ?? { step, projection: emptyProjection(step.table) };
    projection.parents.set(step.name, next);
    projection = next.projection;
  }
  if (projection.fields.has(definition.name)) {
    const text = `duplicate field selected: ${name.text}`;
    throw queryFault(scope.soql, { errorCode: 'INVALID_FIELD', at: name.at, text });
  }
  projection.fields.add(definition.name);
}

function emptyProjection(table: Table): Projection {
  return { table, fields: new Set(), parents: new Map() };
}

interface Projection {
  readonly table: Table;
  readonly fields: Set<string>;
  readonly parents: Map<string, { readonly step: Step; readonly projection: Projection }>;
}

export interface WireRecord {
  attributes: { readonly type: string; readonly url?: string };
  [field: string]: unknown;
}
