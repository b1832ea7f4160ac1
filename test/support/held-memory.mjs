/** Preloaded into the product: lets a test read its memory after a garbage collection. */
process.on('message', () => {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send({ held: heapUsed + external });
});
process.channel?.unref();
