import type { Caller } from '../domain/caller.ts';
import { DEMO_APPLICATION } from '../domain/demo-application.ts';
import { digest } from '../lib/digest.ts';
import type { CallerCache } from './caller-cache.ts';

/**
 * The demo application's key is compared here and stored nowhere; undefined where the sandbox is off. Then nothing of that
 * application counts: no key of it that a database still holds, and no token that was issued for its customers.
 */
export function withDemoCallers(callers: CallerCache, demoKey: string | undefined): CallerCache {
  if (demoKey === undefined) {
    return {
      findCallerByKey: (key, address) => withoutDemo(callers.findCallerByKey(key, address)),
      findCallerByToken: (token) => withoutDemo(callers.findCallerByToken(token)),
    };
  }
  const expected = digest(demoKey);
  const demo: Caller = { application: DEMO_APPLICATION, credentialId: 'demo' };
  return {
    findCallerByKey: (key, address) =>
      digest(key) === expected ? demo : callers.findCallerByKey(key, address),
    findCallerByToken: callers.findCallerByToken,
  };
}

function withoutDemo(found: ReturnType<CallerCache['findCallerByKey']>): typeof found {
  return found instanceof Promise ? found.then(unlessDemo) : unlessDemo(found);
}

function unlessDemo(caller: Caller | undefined): Caller | undefined {
  return caller?.application.id === DEMO_APPLICATION.id ? undefined : caller;
}
