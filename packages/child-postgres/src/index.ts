export { ChildPostgresError, type ChildPostgresErrorCode } from './error.ts';
export {
  type ChildServer,
  type Connection,
  hasCluster,
  type JoinOptions,
  joinServer,
  type Log,
  type ServerOptions,
  startServer,
} from './start.ts';
