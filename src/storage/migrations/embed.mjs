// Turns the SQL that drizzle-kit wrote into a module, because only modules reach the build. Run by `npm run db:generate`.
// Indexes that are built CONCURRENTLY cannot be in a transaction: they become a migration that follows. A line
// `--> step <name>` begins a migration of its own, for a change of tables with rows that takes several. A line
// `--> requires <migration>` is for what removes something: versions that do not know that migration no longer start.
// Of drizzle-kit's snapshots only the last is kept, because the next migration is the difference from that one.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

const CONCURRENTLY = /\bINDEX CONCURRENTLY\b/;
const folder = new URL('.', import.meta.url);
const { entries } = JSON.parse(readFileSync(new URL('meta/_journal.json', folder), 'utf8'));
const migrations = entries.flatMap(({ tag }) => {
  const [first, ...steps] = readFileSync(new URL(`${tag}.sql`, folder), 'utf8').split(
    /^--> step (\w+)$/m,
  );
  const named = steps.flatMap((name, index) =>
    index % 2 === 0 ? [{ name: `${tag}_${name}`, text: steps[index + 1] }] : [],
  );
  return [{ name: tag, text: first }, ...named].flatMap(toMigrations);
});

function toMigrations({ name, text }) {
  const [, requires] = /^--> requires (\w+)$/m.exec(text) ?? [];
  const statements = text
    .replace(/^--> requires \w+$/m, '')
    .split('--> statement-breakpoint')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  const together = statements.filter((statement) => !CONCURRENTLY.test(statement));
  const concurrent = statements.filter((statement) => CONCURRENTLY.test(statement));
  const parts = [
    { name, statements: together, requires },
    { name: together.length === 0 ? name : `${name}_indexes`, statements: concurrent, requires },
  ];
  return parts.filter(({ statements }) => statements.length > 0);
}

const meta = new URL('meta/', folder);
const snapshots = readdirSync(meta).filter((name) => name.endsWith('_snapshot.json'));
for (const name of snapshots.sort().slice(0, -1)) rmSync(new URL(name, meta));

writeFileSync(
  new URL('../migrations.generated.ts', folder),
  `// Made from migrations/*.sql by \`npm run db:generate\`. Not to be edited.
export const MIGRATIONS: readonly {
  readonly name: string;
  readonly statements: readonly string[];
  readonly requires?: string;
}[] =
${JSON.stringify(migrations, null, 2)};
`,
);
