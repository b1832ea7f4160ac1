/** `/livez`: the process runs. `/readyz`: it can also do its work. Undefined: the path is not about health. */
export async function answerHealth(
  pathname: string,
  { checkReadiness }: HealthDeps,
): Promise<Response | undefined> {
  if (pathname === '/livez') return toAnswer({});
  if (pathname === '/readyz') return toAnswer(await checkReadiness());
  return undefined;
}

function toAnswer(checks: Checks): Response {
  const ok = Object.values(checks).every(Boolean);
  return Response.json(
    { ok, ...checks },
    { status: ok ? 200 : 503, headers: { 'cache-control': 'no-store' } },
  );
}

type Checks = object;

interface HealthDeps {
  /** By name: is it well? */
  checkReadiness(): Promise<Checks>;
}
