/** Runs a sweep to its end, and returns the number of rows. */
export async function runSweep(sweep: AsyncIterable<number>): Promise<number> {
  let rows = 0;
  for await (const count of sweep) rows += count;
  return rows;
}
