import { writeFileSync } from 'node:fs';
import { printApiSchema } from './print-api-schema.ts';

/** Run as a script: writes the API's schema to the file that is named. */
const [, , path = 'schema.graphql'] = process.argv;
writeFileSync(path, printApiSchema());
