import type { RequestListener } from 'node:http';

/**
 * Imported by a computed name: its types would add those of graphql 17 to those of graphql 16, for the whole
 * project.
 */
export async function loadRuntime(): Promise<Runtime> {
  const [runtime, http]: readonly string[] = [
    '@graphql-hive/gateway-runtime',
    '@graphql-tools/executor-http',
  ];
  return { ...(await import(runtime ?? '')), ...(await import(http ?? '')) };
}

export interface PropagateHeaders {
  fromClientToSubgraphs(asked: {
    readonly request: Request;
    readonly subgraphName: string;
  }): Record<string, string | null> | undefined;
}

interface Runtime {
  createGatewayRuntime(options: {
    readonly supergraph: string;
    readonly propagateHeaders: PropagateHeaders;
    readonly transports: {
      readonly http: {
        getSubgraphExecutor(subgraph: {
          readonly transportEntry: { readonly location: string };
          readonly fetch: unknown;
        }): unknown;
      };
    };
    readonly demandControl?: {
      readonly maxCost: number;
      readonly listSize: number;
      readonly includeExtensionMetadata: true;
    };
    readonly logging: false;
  }): RequestListener & AsyncDisposable;
  buildHTTPExecutor(options: { readonly endpoint: string; readonly fetch: unknown }): unknown;
}
