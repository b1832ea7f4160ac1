import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: [
    './src/storage/schema.ts',
    './src/storage/connect-schema.ts',
    './src/storage/sync-schema.ts',
  ],
  out: './src/storage/migrations',
});
