import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { GATEWAY_EXAMPLE } from '../../support/machine.ts';
import { readSubgraph } from './compose.ts';
import { NOTES_SDL } from './notes-subgraph.ts';

/** Of the gateway example, which has the packages of all three in its folder. */
const { compose, COMPOSERS }: Composers = await import(
  pathToFileURL('examples/gateway/compose.mjs').href
);
const CROSSBOOK = {
  name: 'crossbook',
  url: 'http://crossbook.example/graphql',
  sdl: readSubgraph(),
};
const toNotes = (sdl: string) => ({ name: 'notes', url: 'http://notes.example/graphql', sdl });

describe.runIf(GATEWAY_EXAMPLE).each(Object.keys(COMPOSERS))('The composer of %s', (name) => {
  test('composes the subgraph with one that extends Contact, Company and Customer', async () => {
    const supergraph = await compose(name, [CROSSBOOK, toNotes(NOTES_SDL)]);
    for (const type of supergraph === undefined ? [] : ['Contact', 'Company', 'Customer'])
      expect(supergraph).toMatch(new RegExp(`type ${type} [^{]*@join__type\\(graph: NOTES`));
  });

  test('refuses one that extends Company by a field that is no part of a key', async () => {
    const other = NOTES_SDL.replace(
      /type Company @key[^{]*\{[^}]*\}/,
      'type Company @key(fields: "name") { name: String! noteCount: Int! }',
    );
    expect(other).not.toBe(NOTES_SDL);
    await expect(compose(name, [CROSSBOOK, toNotes(other)])).rejects.toThrow(/Company/);
  });
});

interface Composers {
  readonly COMPOSERS: Readonly<Record<string, unknown>>;
  /** Undefined: this composer makes no SDL. Rejects with the errors of the composer. */
  compose(composer: string, subgraphs: readonly Subgraph[]): Promise<string | undefined>;
}

interface Subgraph {
  readonly name: string;
  readonly url: string;
  readonly sdl: string;
}
