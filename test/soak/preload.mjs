/** Loaded into the product before it starts: lets the soak ask what the process holds once its garbage is gone. */
process.on('message', () => {
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  process.send({ held: heapUsed + external });
});
process.channel?.unref();
