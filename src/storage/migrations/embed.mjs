// Turns the SQL that drizzle-kit wrote into a module, because only modules reach the build. Run by `npm run db:generate`.
import { readFileSync, writeFileSync } from 'node:fs';

const folder = new URL('.', import.meta.url);
const { entries } = JSON.parse(readFileSync(new URL('meta/_journal.json', folder), 'utf8'));
const migrations = entries.map(({ tag }) => ({
  name: tag,
  statements: readFileSync(new URL(`${tag}.sql`, folder), 'utf8')
    .split('--> statement-breakpoint')
    .map((statement) => statement.trim()),
}));

writeFileSync(
  new URL('../migrations.generated.ts', folder),
  `// Made from migrations/*.sql by \`npm run db:generate\`. Not to be edited.
export const MIGRATIONS: readonly { readonly name: string; readonly statements: readonly string[] }[] =
${JSON.stringify(migrations, null, 2)};
`,
);
