/** For drizzle-kit, which is in `test/all`: only `npm run db:generate` and a test of the migrations need it. */
export default {
  dialect: 'postgresql',
  schema: [
    './src/storage/schema.ts',
    './src/storage/connect-schema.ts',
    './src/storage/sync-schema.ts',
    './src/storage/writes-schema.ts',
  ],
  out: './src/storage/migrations',
};
