/** Prints, as JSON, the test files that `vitest --changed` would run if these files had changed. */
import { createVitest } from 'vitest/node';

const vitest = await createVitest('test', { watch: false, related: process.argv.slice(2) });
const specifications = await vitest.getRelevantTestSpecifications();
process.stdout.write(JSON.stringify([...new Set(specifications.map(({ moduleId }) => moduleId))]));
await vitest.close();
