/** Called only with REDIS_URL. A class of ioredis extends `String`. */
export async function loadRedis() {
  const { Redis } = await import('./redis-library.ts');
  keepStringMethodsFast();
  return Redis;
}

/**
 * To be called after a class that extends `String` came into being. What is extended the engine puts into a form that is
 * quick to change, and back when something is looked up through it; but only on an object, and a text is none. Until then
 * no method of any text in the process is compiled into the code that calls it: a twentieth of all time under load.
 */
function keepStringMethodsFast(): void {
  const text = Object('text') as string;
  for (let call = 0; call < CALLS; call += 1) text.charAt(call);
}

/** The engine looks at code that has been called a few times, and not at what runs once. */
const CALLS = 100;
