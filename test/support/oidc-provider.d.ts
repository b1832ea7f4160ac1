/** The part that the tests use; the package has no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http';

  export class Provider {
    constructor(issuer: string, configuration: object);
    readonly AccessToken: TokenModel;
    readonly AuthorizationCode: TokenModel;
    callback(): (request: IncomingMessage, response: ServerResponse) => void;
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void;
    on(event: 'access_token.saved', listen: (token: Token) => void): void;
    on(
      event: 'authorization.error' | 'grant.error',
      listen: (context: Context, error: OAuthError) => void,
    ): void;
    on(event: 'grant.revoked', listen: (context: Context, grantId: string) => void): void;
  }

  /** Koa's context. */
  export interface Context {
    readonly req: IncomingMessage;
    readonly method: string;
    readonly path: string;
    readonly url: string;
    querystring: string;
    status: number;
    body: unknown;
    type: string;
  }

  export interface TokenModel {
    find(value: string): Promise<Token | undefined>;
  }

  export interface Token {
    destroy(): Promise<void>;
    consume(): Promise<void>;
  }

  export interface OAuthError extends Error {
    readonly error: string;
    readonly error_description?: string;
    readonly error_detail?: string;
  }
}
