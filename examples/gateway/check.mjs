import { execFileSync } from 'node:child_process';
import { COMPOSERS, compose } from './compose.mjs';
import { readTicketsSdl } from './tickets.mjs';

/** What a registry’s subgraph check asks: do both compose, by the rules of each composer, whoever of them has `node`? */
for (const relayNode of [false, true]) {
  const options = ['schema', 'print', '--subgraph', ...(relayNode ? ['--relay-node'] : [])];
  const root = new URL('../..', import.meta.url);
  const sdl = execFileSync('dist/crossbook', options, { cwd: root, encoding: 'utf8' });
  const subgraphs = [
    { name: 'crossbook', url: 'http://localhost:4000/graphql', sdl },
    { name: 'tickets', url: 'http://localhost:4001/graphql', sdl: readTicketsSdl({ relayNode }) },
  ];
  for (const composer of Object.keys(COMPOSERS)) {
    await compose(composer, subgraphs);
    process.stdout.write(
      `${composer} composes both; node is ${relayNode ? 'Crossbook’s' : 'the tickets’'}.\n`,
    );
  }
}
