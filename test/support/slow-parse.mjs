/** Preloaded into the product: after any message, parsing JSON that names `slow` blocks the event loop for 600 ms. */
const { parse } = JSON;
process.once('message', () => {
  JSON.parse = (text, reviver) => {
    const until = performance.now() + (String(text).includes('slow') ? 600 : 0);
    while (performance.now() < until);
    return parse(text, reviver);
  };
});
process.channel?.unref();
