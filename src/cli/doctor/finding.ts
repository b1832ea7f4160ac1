/** What was looked at, and how it is. */
export interface Finding {
  readonly subject: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly detail: string;
}
