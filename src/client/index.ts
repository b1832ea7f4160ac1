export { type BrowserPage, type ConnectOptions, type ConnectResult, connect } from './connect.ts';
export type { CallOptions, ClientOptions } from './create-ask.ts';
export {
  type Client,
  type ConfirmedConnectLink,
  type ConnectLink,
  type Contact,
  type ContactPage,
  type ContactSearch,
  type CreatedConnectLink,
  type CustomerToken,
  createClient,
  type DeletedCustomer,
  type DisconnectedProvider,
  type UpsertedCustomer,
} from './create-client.ts';
export { CrossbookError, type CrossbookErrorCode, type RemoteAnswer } from './crossbook-error.ts';
export type * from './operations.generated.ts';
