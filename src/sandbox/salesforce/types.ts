export interface SalesforceTypes {
  readonly quirks: object;
  readonly limits: object;
  readonly state: undefined;
}
