/** Where the data are unless the environment says otherwise. */
export const DATA_DIRECTORY = '.crossbook';

/** Of the embedded database. */
export function toDatabaseDirectory(dataDirectory: string): string {
  return `${dataDirectory}/data`;
}
