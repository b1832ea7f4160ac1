import { toParsed } from './compose.mjs';

/** Composes a contract: elements with these tags are left out of it. Returns the composer’s errors. */
export const CONTRACTS = {
  /**
   * @param {readonly import('./compose.mjs').Subgraph[]} subgraphs
   * @param {readonly string[]} without
   */
  async hive(subgraphs, without) {
    const { composeSchemaContract } = await import('@theguild/federation-composition');
    const filter = { include: new Set(), exclude: new Set(without) };
    return composeSchemaContract(subgraphs.map(toParsed), filter).errors ?? [];
  },

  /**
   * Apollo’s contracts are made in its platform, which marks what they leave out as `@inaccessible`.
   * @param {readonly import('./compose.mjs').Subgraph[]} subgraphs
   * @param {readonly string[]} without
   */
  async apollo(subgraphs, without) {
    const { applyTagFilterOnSubgraphs } = await import('@theguild/federation-composition');
    const { composeServices } = await import('@apollo/composition');
    const filter = { include: new Set(), exclude: new Set(without) };
    return composeServices(applyTagFilterOnSubgraphs(subgraphs.map(toParsed), filter)).errors ?? [];
  },

  /**
   * @param {readonly import('./compose.mjs').Subgraph[]} subgraphs
   * @param {readonly string[]} without
   */
  async cosmo(subgraphs, without) {
    const { federateSubgraphsContract, ROUTER_COMPATIBILITY_VERSION_ONE } = await import(
      '@wundergraph/composition'
    );
    const result = federateSubgraphsContract({
      subgraphs: subgraphs
        .map(toParsed)
        .map(({ typeDefs, ...named }) => ({ ...named, definitions: typeDefs })),
      contractTagOptions: { tagNamesToExclude: new Tags(without), tagNamesToInclude: new Tags() },
      version: ROUTER_COMPATIBILITY_VERSION_ONE,
    });
    return result.success ? [] : result.errors;
  },
};

/** In Node 20, Set lacks a method that Cosmo’s composer calls. */
class Tags extends Set {
  /** @param {ReadonlySet<string>} others */
  isDisjointFrom(others) {
    return ![...this].some((tag) => others.has(tag));
  }
}
