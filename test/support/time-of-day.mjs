/** Preloaded into the product: its test sets the time of day, which is fixed at first. */
const { now } = Date;
let ahead = 0;
const set = (date) => {
  ahead = Date.parse(date) - now();
};
Date.now = () => now() + ahead;
set('2026-11-01');
process.on('message', set);
process.channel?.unref();
