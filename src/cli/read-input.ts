/** All of the standard input, as text: a secret is a line of it. Throws where that is no secret for its length. */
export async function readInput(input: AsyncIterable<string | Uint8Array>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input) {
    const buffer = Buffer.from(chunk as Uint8Array);
    bytes += buffer.length;
    if (bytes > MAX_BYTES) throw new Error(`The standard input has more than ${MAX_BYTES} bytes.`);
    chunks.push(buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const MAX_BYTES = 64 * 1024;
