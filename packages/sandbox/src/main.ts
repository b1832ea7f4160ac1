import { openSandbox, steadyClock } from './open-sandbox.ts';

/** The sandbox as a process of its own: `main.ts [HubSpot's port] [Salesforce's] [Pipedrive's]`. 0: any free port. */
const [
  hubspotPort = 4010,
  salesforcePort = hubspotPort && hubspotPort + 1,
  pipedrivePort = salesforcePort && salesforcePort + 1,
] = process.argv.slice(2).map(Number);
const clock = steadyClock();
let passedMs = 0;
const sandbox = await openSandbox({
  hubspotPort,
  salesforcePort,
  pipedrivePort,
  now: () => clock() + passedMs,
});
// A test that has started this process lets time pass.
process.on('message', (ms: number) => {
  passedMs += ms;
  process.send?.('passed');
});
// The sandbox keeps serving when the reader of its output exits.
process.stdout.on('error', () => undefined);

for (const { name, origin, demo } of [sandbox.hubspot, sandbox.salesforce, sandbox.pipedrive])
  process.stdout.write(
    [
      `${name}: ${origin}   (control: ${origin}/__sandbox)`,
      `  account        ${demo.id}`,
      `  access token   ${demo.accessToken}`,
      `  refresh token  ${demo.refreshToken}`,
      ...(demo.staticToken ? [`  static token   ${demo.staticToken}`] : []),
      `  client         ${demo.clientId} ${demo.clientSecret}`,
      '',
    ].join('\n'),
  );

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void sandbox.close();
    if (process.connected) process.disconnect?.();
  });
