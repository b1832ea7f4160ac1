import { measureAll, showKept } from './commands/all.ts';
import { compareBuilds } from './commands/compare.ts';
import { measureCustomFields } from './commands/custom-fields.ts';
import { measureFlags } from './commands/flags.ts';
import { measureGrowth } from './commands/growth.ts';
import { measureLinks } from './commands/links.ts';
import { measureLookups } from './commands/lookups.ts';
import { measureMemory } from './commands/memory.ts';
import { countPerRequest } from './commands/per-request.ts';
import { profile } from './commands/profile.ts';
import { measureScale } from './commands/scale.ts';
import { measureStart } from './commands/start.ts';
import { measureSync } from './commands/sync.ts';
import { measureThroughput } from './commands/throughput.ts';
import { measureUpserts } from './commands/upserts.ts';
import { measureWorkers } from './commands/workers.ts';
import { type Options, readOptions } from './support/options.ts';

const COMMANDS: Readonly<Record<string, (options: Options) => Promise<unknown>>> = {
  all: measureAll,
  report: showKept,
  links: measureLinks,
  lookups: measureLookups,
  throughput: measureThroughput,
  upserts: measureUpserts,
  workers: measureWorkers,
  scale: measureScale,
  sync: measureSync,
  growth: measureGrowth,
  memory: measureMemory,
  'custom-fields': measureCustomFields,
  start: measureStart,
  flags: measureFlags,
  compare: compareBuilds,
  'per-request': countPerRequest,
  profile,
};

const options = readOptions(process.argv.slice(2));
const command = COMMANDS[options.command];
if (!command)
  throw new Error(
    `There is no ${options.command}. There are: ${Object.keys(COMMANDS).join(', ')}.`,
  );
await command(options);
process.exit(0);
