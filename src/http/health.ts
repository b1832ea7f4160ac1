/** `/livez`: the process runs. `/readyz`: it can also do its work. Undefined: the path is not about health. */
export async function answerHealth(pathname: string, { isReady }: HealthDeps): Promise<Response | undefined> {
  if (pathname === '/livez') return toAnswer(true);
  if (pathname === '/readyz') return toAnswer(await isReady());
  return undefined;
}

function toAnswer(well: boolean): Response {
  return Response.json({ ok: well }, { status: well ? 200 : 503, headers: { 'cache-control': 'no-store' } });
}

interface HealthDeps {
  isReady(): Promise<boolean>;
}
