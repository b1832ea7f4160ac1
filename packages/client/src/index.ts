export type * from './client.ts';
export { type BrowserPage, type ConnectOptions, type ConnectResult, connect } from './connect.ts';
export { type CallOptions, type ClientOptions, createClient } from './create-client.ts';
export { CrossbookError, type CrossbookErrorCode, type RemoteAnswer } from './crossbook-error.ts';
export type * from './operations.generated.ts';
