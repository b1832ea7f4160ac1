/** Preloaded into the product: after any message two hours have passed, in which nothing has run. */
const now = performance.now.bind(performance);
process.once('message', () => {
  performance.now = () => now() + 2 * 60 * 60_000;
});
process.channel?.unref();
