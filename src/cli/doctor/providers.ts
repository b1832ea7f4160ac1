import type { Provider } from '../../domain/provider.ts';
import type { Finding } from './finding.ts';

const TIMEOUT_MS = 5_000;

/** Any answer will do: it says that the way is open. Without one there is a warning, because serving goes on. */
export async function checkProviders(
  providers: Iterable<Provider>,
  ask: typeof fetch,
): Promise<readonly Finding[]> {
  return Promise.all([...providers].flatMap((provider) => toCheck(provider, ask) ?? []));
}

/** Providers that have no address but their customers' own are not looked for. */
function toCheck({ name, contacts }: Provider, ask: typeof fetch): Promise<Finding> | undefined {
  const origin = contacts?.origin(null) ?? contacts?.refresh.origin(null);
  return origin === undefined ? undefined : reach(name, origin, ask);
}

async function reach(subject: string, origin: string, ask: typeof fetch): Promise<Finding> {
  try {
    const { status } = await ask(origin, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { subject, state: 'ok', detail: `${origin} answers (${status})` };
  } catch {
    return { subject, state: 'warning', detail: `${origin} cannot be reached from here` };
  }
}
