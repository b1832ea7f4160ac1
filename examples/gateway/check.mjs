import { execFileSync } from 'node:child_process';
import { COMPOSERS, compose } from './compose.mjs';
import { CONTRACTS } from './contract.mjs';
import { readTicketsSdl } from './tickets.mjs';

/** Like a registry’s subgraph check: do both subgraphs compose, by the rules of each composer? */
const NAMES = [
  { says: 'node is the tickets’' },
  { says: 'node is Crossbook’s', relayNode: true },
  { says: 'Crossbook’s types begin with Crm_', typePrefix: 'Crm_' },
];
/** All tags of Crossbook’s schema. */
const TAGS = ['api-key', 'raw-data'];

for (const { says, ...names } of NAMES) {
  const both = readBoth(names);
  for (const composer of Object.keys(COMPOSERS)) {
    await compose(composer, both);
    process.stdout.write(`${composer} composes both; ${says}.\n`);
  }
}
const both = readBoth({});
for (const [composer, composeContract] of Object.entries(CONTRACTS)) {
  const errors = await composeContract(both, TAGS);
  if (errors.length > 0)
    throw new Error(`${composer}: ${errors.map(({ message }) => message).join('\n')}`);
  process.stdout.write(`${composer} composes both; a contract is without ${TAGS.join(' and ')}.\n`);
}

function readBoth({ relayNode = false, typePrefix = '' }) {
  const options = ['schema', 'print', '--subgraph', ...(relayNode ? ['--relay-node'] : [])];
  const root = new URL('../..', import.meta.url);
  const env = { ...process.env, ...(typePrefix && { CROSSBOOK_GRAPHQL_TYPE_PREFIX: typePrefix }) };
  const sdl = execFileSync('dist/crossbook', options, { cwd: root, encoding: 'utf8', env });
  const tickets = readTicketsSdl({ relayNode, typePrefix });
  return [
    { name: 'crossbook', url: 'http://localhost:4000/graphql', sdl },
    { name: 'tickets', url: 'http://localhost:4001/graphql', sdl: tickets },
  ];
}
