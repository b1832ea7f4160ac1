/** Rows in columns that line up. The last column is not padded. */
export function toTable(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [place, cell] of row.slice(0, -1).entries()) {
      widths[place] = Math.max(widths[place] ?? 0, cell.length);
    }
  }
  return rows
    .map((row) =>
      row.map((cell, place) => cell.padEnd(place < row.length - 1 ? (widths[place] ?? 0) : 0)).join('  '),
    )
    .join('\n');
}
