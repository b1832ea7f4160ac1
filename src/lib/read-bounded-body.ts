/** A body's bytes; undefined, and nothing more is kept, where there are more of them than `limit`. */
export async function readBoundedBody(request: Request, limit: number): Promise<Uint8Array | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) return undefined;
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader: Reader | undefined = request.body?.getReader();
  // Counted as well: a chunked body does not say how long it is, and a header can lie.
  for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) {
    length += piece.value.byteLength;
    chunks.push(piece.value);
    if (length <= limit) continue;
    if (reader) void discard(reader);
    return undefined;
  }
  return Buffer.concat(chunks);
}

/** To stop reading would end the connection before the answer: the rest is let go by until the sender tires. */
async function discard(reader: Reader): Promise<void> {
  try {
    while (!(await reader.read()).done);
  } catch {
    // The sender went away, as it should.
  }
}

interface Reader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
}
