import { parse } from 'graphql';

/**
 * Composes the supergraph of these subgraphs with one of the composers. Throws with all of its errors.
 * @param {keyof typeof COMPOSERS} composer
 * @param {readonly Subgraph[]} subgraphs
 */
export async function compose(composer, subgraphs) {
  const { errors, supergraph } = await COMPOSERS[composer](subgraphs);
  if (errors.length > 0)
    throw new Error(`${composer}: ${errors.map(({ message }) => message).join('\n')}`);
  return supergraph;
}

/** Hive’s is used to start the gateway. The other two check that the subgraphs are compatible with them. */
export const COMPOSERS = {
  /** @param {readonly Subgraph[]} subgraphs */
  async hive(subgraphs) {
    const { composeServices } = await import('@theguild/federation-composition');
    const { errors = [], supergraphSdl } = composeServices(subgraphs.map(toParsed));
    return { errors, supergraph: supergraphSdl };
  },
  /** @param {readonly Subgraph[]} subgraphs */
  async apollo(subgraphs) {
    const { composeServices } = await import('@apollo/composition');
    const { errors = [], supergraphSdl } = composeServices(subgraphs.map(toParsed));
    return { errors, supergraph: supergraphSdl };
  },
  /** @param {readonly Subgraph[]} subgraphs */
  async cosmo(subgraphs) {
    const { federateSubgraphs, ROUTER_COMPATIBILITY_VERSION_ONE } = await import(
      '@wundergraph/composition'
    );
    const services = subgraphs.map(({ name, url, sdl }) => ({
      name,
      url,
      definitions: parse(sdl),
    }));
    const result = federateSubgraphs({
      subgraphs: services,
      version: ROUTER_COMPATIBILITY_VERSION_ONE,
    });
    return { errors: result.success ? [] : result.errors, supergraph: undefined };
  },
};

/** @param {Subgraph} subgraph */
export function toParsed({ name, url, sdl }) {
  return { name, url, typeDefs: parse(sdl) };
}

/** @typedef {{ readonly name: string, readonly url: string, readonly sdl: string }} Subgraph */
