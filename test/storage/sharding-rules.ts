import type { NamedStatement } from './list-statements.ts';

/** The names of statements that are not about one application. */
export function findUnbound(statements: readonly NamedStatement[]): string[] {
  const unbound = statements.filter(({ text }) => !isBoundToApplication(text));
  return [...new Set(unbound.map(({ name }) => name))];
}

/**
 * Whether a statement names its application: each table that it mentions has a condition on `application_id` (or is
 * inserted into with one), and one of them compares it with a parameter. A condition of a join counts for one table.
 */
export function isBoundToApplication(text: string): boolean {
  const inserted = [...text.matchAll(INSERTED)].filter(([, table = '']) => !NOT_OF_ONE.has(table));
  if (inserted.some(([, , columns = '']) => !columns.includes('application_id'))) return false;
  const read = [...text.matchAll(READ)].filter(([, table = '']) => !NOT_OF_ONE.has(table));
  if (read.length === 0) return true;
  const conditions = [...text.replaceAll(RETURNED, '').matchAll(CONDITION)];
  return conditions.length >= read.length && BOUND.test(text);
}

const NOT_OF_ONE = new Set(['applications', 'job_leases', 'migrations']);
const TABLE = `"?crossbook"?\\."?(\\w+)"?`;
const INSERTED = new RegExp(`\\binsert into ${TABLE}(?: as \\w+)?\\s*\\(([^)]*)\\)`, 'gi');
const READ = new RegExp(`\\b(?:from|join|update|using) ${TABLE}`, 'gi');
/** In a list of what is selected. */
const RETURNED = /application_id"?(::\w+)? as "applicationId"/g;
const CONDITION = /\bapplication_id"?\s*(=|in\b|,|\))/g;
const BOUND = /\bapplication_id"?(, \w+)*\)? = (\(?\$|any)/;
