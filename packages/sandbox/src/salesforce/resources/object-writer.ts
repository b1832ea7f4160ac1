import type { Row } from '../soql/table.ts';
import type { SalesforceAccount } from '../types.ts';
import type { ApiRequest } from './api-request.ts';

/** How the records of an object are written. Values are checked by its definition before. */
export interface ObjectWriter {
  /** Fields that no record lacks. */
  readonly requires: readonly string[];
  /** Throws if the record cannot be saved. */
  check?(apiRequest: ApiRequest, checked: Checked): void;
  /** Returns the new id. */
  create(account: SalesforceAccount, named: Named): string;
  change(account: SalesforceAccount, id: string, named: Named): void;
  /** Only of rows that stand for links. */
  remove?(account: SalesforceAccount, id: string): void;
}

/** Values by the names of their fields. */
export type Named = ReadonlyMap<string, unknown>;

export interface Checked {
  readonly named: Named;
  readonly before: Row | undefined;
  /** A value as the record will have it. */
  current(column: string): unknown;
}
