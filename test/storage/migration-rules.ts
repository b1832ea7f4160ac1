import type { Migration } from '../../src/storage/engine/migrate.ts';

/**
 * What would keep a table's rows from being read or written for as long as it has rows, or fail. A statement on a
 * table that the same migration creates has no rows to work on.
 */
export function findMigrationProblems({ statements }: Migration): readonly string[] {
  const created = new Set(
    statements.flatMap((statement) => CREATE_TABLE.exec(statement)?.[1] ?? []),
  );
  return statements.flatMap((statement) => {
    const table = ON_TABLE.exec(statement)?.[1];
    if (table !== undefined && created.has(table)) return [];
    // NOT NULL takes no scan where a validated CHECK, which is then dropped, says so already.
    const [, owner, column] = SET_NOT_NULL.exec(statement) ?? [];
    const isChecked =
      column !== undefined &&
      statements.some((other) => other.includes(`DROP CONSTRAINT "${owner}_${column}_given"`));
    if (isChecked) return [];
    return RULES.filter(({ forbidden }) => forbidden.test(statement)).map(
      ({ instead }) => `${statement.slice(0, 80)}: ${instead}`,
    );
  });
}

const CREATE_TABLE = /^CREATE TABLE (?:"crossbook"\.)?("\w+")/i;
const ON_TABLE = /^(?:ALTER TABLE|CREATE (?:UNIQUE )?INDEX .* ON) (?:"crossbook"\.)?("\w+")/i;

const SET_NOT_NULL = /^ALTER TABLE "crossbook"\."(\w+)" ALTER COLUMN "(\w+)" SET NOT NULL;?$/;

const RULES: readonly { readonly forbidden: RegExp; readonly instead: string }[] = [
  {
    forbidden: /^CREATE (UNIQUE )?INDEX (?!CONCURRENTLY "\w+" ON )/i,
    instead: 'build an index on an existing table CONCURRENTLY, under a quoted name',
  },
  {
    forbidden: /^(LOCK|CLUSTER|VACUUM|REINDEX|TRUNCATE)\b/i,
    instead: 'take no lock that a request waits for',
  },
  {
    forbidden: /^(WITH|UPDATE|DELETE|INSERT)\b/i,
    instead: 'change rows in batches: `-- in batches` before a statement that is repeated',
  },
  {
    forbidden: /\bALTER COLUMN\b.*\b(TYPE|SET NOT NULL)\b/i,
    instead:
      'add a column, or a CHECK that is NOT VALID, instead of scanning or rewriting the rows',
  },
  {
    forbidden: /\bADD (CONSTRAINT "\w+" )?(FOREIGN KEY|CHECK)\b(?!.*NOT VALID)/i,
    instead: 'add the constraint NOT VALID, and validate it in a later migration',
  },
  {
    forbidden: /\bADD (CONSTRAINT "\w+" )?(UNIQUE|PRIMARY KEY|EXCLUDE)\b(?!.*USING INDEX)/i,
    instead: 'build a unique index CONCURRENTLY first',
  },
  {
    forbidden:
      /\bADD COLUMN\b.*(gen_random_uuid|random|clock_timestamp|nextval|GENERATED|serial)\b/i,
    instead: 'a default that differs for each row rewrites the table',
  },
  {
    forbidden: /\bADD COLUMN\b.*\b(REFERENCES|UNIQUE|PRIMARY KEY)\b/i,
    instead: 'add the column and its constraint separately',
  },
];
