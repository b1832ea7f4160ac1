/** Loaded into the product before it starts: a test can ask what the process holds once its garbage is collected. */
process.on('message', () => {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send({ held: heapUsed + external });
});
process.channel?.unref();
