// Turns the SQL that drizzle-kit wrote into a module, because only modules reach the build. Run by `npm run db:generate`.
// Indexes that are built CONCURRENTLY cannot be in a transaction: they become a migration that follows.
import { readFileSync, writeFileSync } from 'node:fs';

const CONCURRENTLY = /\bINDEX CONCURRENTLY\b/;
const folder = new URL('.', import.meta.url);
const { entries } = JSON.parse(readFileSync(new URL('meta/_journal.json', folder), 'utf8'));
const migrations = entries.flatMap(({ tag }) => {
  const statements = readFileSync(new URL(`${tag}.sql`, folder), 'utf8')
    .split('--> statement-breakpoint')
    .map((statement) => statement.trim());
  const together = statements.filter((statement) => !CONCURRENTLY.test(statement));
  const concurrent = statements.filter((statement) => CONCURRENTLY.test(statement));
  if (together.length === 0) return [{ name: tag, statements: concurrent }];
  if (concurrent.length === 0) return [{ name: tag, statements: together }];
  return [
    { name: tag, statements: together },
    { name: `${tag}_indexes`, statements: concurrent },
  ];
});

writeFileSync(
  new URL('../migrations.generated.ts', folder),
  `// Made from migrations/*.sql by \`npm run db:generate\`. Not to be edited.
export const MIGRATIONS: readonly { readonly name: string; readonly statements: readonly string[] }[] =
${JSON.stringify(migrations, null, 2)};
`,
);
