import type { HttpAnswer } from '../lib/http-message.ts';

/** `/livez`: the process runs. `/readyz`: it can also do its work. Undefined: the path is not about health. */
export function answerHealth(
  pathname: string,
  { checkReadiness }: HealthDeps,
): Promise<HttpAnswer> | undefined {
  if (pathname === '/livez') return Promise.resolve(toAnswer({}));
  return pathname === '/readyz' ? checkReadiness().then(toAnswer) : undefined;
}

function toAnswer(checks: Checks): HttpAnswer {
  const ok = Object.values(checks).every(Boolean);
  return {
    status: ok ? 200 : 503,
    headers: { 'content-type': 'application/json', 'cache-control': 'no-store' },
    body: JSON.stringify({ ok, ...checks }),
  };
}

type Checks = object;

interface HealthDeps {
  /** By name: is it well? */
  checkReadiness(): Promise<Checks>;
}
