/** HubSpot refuses anything else, together with the whole batch that it is in. */
export function isRecordId(id: string): boolean {
  return /^[1-9]\d{0,18}$/.test(id);
}

/** Ids are numbers, too large for exact arithmetic one day: the longer is the larger. */
export function compareIds(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
