import type { Statements } from './engine/statements.ts';

/** The size of each table, with its indexes, and its rows as PostgreSQL last estimated them: nothing is scanned. */
export function measureTables({ query }: Pick<Statements, 'query'>) {
  return query<TableSize>(MEASURE_TABLES, []);
}

const MEASURE_TABLES = {
  name: 'measure_tables',
  text: `
select relname as "name", greatest(reltuples, 0)::float8 as "rows", pg_total_relation_size(oid)::float8 as bytes
from pg_class
where relnamespace = to_regnamespace('crossbook') and relkind in ('r', 'p') order by relname`,
};

export interface TableSize {
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
}
