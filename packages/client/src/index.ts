export type * from './client.ts';
export { type BrowserPage, type ConnectOptions, type ConnectResult, connect } from './connect.ts';
export { createClient } from './create-client.ts';
export {
  type CallOptions,
  type ClientOptions,
  createQuery,
  type Document,
  type Query,
} from './create-query.ts';
export { CrossbookError, type CrossbookErrorCode, type RemoteAnswer } from './crossbook-error.ts';
export type * from './operations.generated.ts';
export { createTokenCache, type LoadToken, type TokenCache } from './token-cache.ts';
