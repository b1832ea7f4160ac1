import { readApiSupport } from '../../domain/api-support.ts';
import type { Provider } from '../../domain/provider.ts';
import type { Finding } from './finding.ts';

/** A version that has ended mostly answers on for a while: a warning, no failure. */
export function checkApiVersions(providers: Iterable<Provider>, now: number): readonly Finding[] {
  return readApiSupport(providers, now).map(({ provider, version, supportedUntil, endsSoon, isOver }) => {
    const state = endsSoon ? 'warning' : 'ok';
    const advice = endsSoon ? ': a newer Crossbook is needed' : '';
    const detail = `${version} ${isOver ? 'was' : 'is'} supported until ${supportedUntil}${advice}`;
    return { subject: `${provider} API`, state, detail };
  });
}
