import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { prepare } from './prepare.mjs';

prepare();
const { COMPOSERS, compose } = await import('./compose.mjs');
const { CONTRACTS } = await import('./contract.mjs');
const { readTicketsSdl } = await import('./tickets.mjs');

/** Like a registry’s subgraph check: do the subgraphs compose, by the rules of each composer? */
const NAMES = [
  { says: 'node is the tickets’' },
  { says: 'node is Crossbook’s', relayNode: true },
  { says: 'Crossbook’s types begin with Crm_', typePrefix: 'Crm_' },
];
/** A subgraph whose Customer, Contact and Query.customer are its own. */
const ACCOUNTS = {
  name: 'accounts',
  url: 'http://localhost:4003/graphql',
  sdl: readFileSync(new URL('accounts.graphql', import.meta.url), 'utf8'),
};
/** All tags of Crossbook’s schema. */
const TAGS = ['api-key', 'raw-data'];

for (const { says, ...names } of NAMES) {
  const both = readBoth(names);
  for (const composer of Object.keys(COMPOSERS)) {
    await compose(composer, both);
    process.stdout.write(`${composer} composes both; ${says}.\n`);
  }
}
const three = [...readBoth({ typePrefix: 'Crm_', rootFieldPrefix: 'crm_' }), ACCOUNTS];
for (const composer of Object.keys(COMPOSERS)) {
  const supergraph = await compose(composer, three);
  if (/^type Customer[^{]*graph: CROSSBOOK/m.test(supergraph ?? ''))
    throw new Error(`${composer}: two types were merged.`);
  process.stdout.write(`${composer} composes both and accounts.graphql; with both prefixes.\n`);
}
const both = readBoth({});
for (const [composer, composeContract] of Object.entries(CONTRACTS)) {
  const errors = await composeContract(both, TAGS);
  if (errors.length > 0)
    throw new Error(`${composer}: ${errors.map(({ message }) => message).join('\n')}`);
  process.stdout.write(`${composer} composes both; a contract is without ${TAGS.join(' and ')}.\n`);
}

function readBoth({ relayNode = false, typePrefix = '', rootFieldPrefix = '' }) {
  const options = ['schema', 'print', '--subgraph', ...(relayNode ? ['--relay-node'] : [])];
  const root = new URL('../..', import.meta.url);
  const env = {
    ...process.env,
    ...(typePrefix && { CROSSBOOK_GRAPHQL_TYPE_PREFIX: typePrefix }),
    ...(rootFieldPrefix && { CROSSBOOK_GRAPHQL_ROOT_FIELD_PREFIX: rootFieldPrefix }),
  };
  const sdl = execFileSync('dist/crossbook', options, { cwd: root, encoding: 'utf8', env });
  const tickets = readTicketsSdl({ relayNode, typePrefix });
  return [
    { name: 'crossbook', url: 'http://localhost:4000/graphql', sdl },
    { name: 'tickets', url: 'http://localhost:4001/graphql', sdl: tickets },
  ];
}
