import { createLossyOutput } from '../lib/output.ts';
import { openSandbox } from './open-sandbox.ts';

/** The sandbox as a process of its own: `sandbox.js [HubSpot's port] [Salesforce's port]`. 0: any free port. */
const [hubspotPort = 4010, salesforcePort = hubspotPort && hubspotPort + 1] = process.argv
  .slice(2)
  .map(Number);
const sandbox = await openSandbox({ hubspotPort, salesforcePort });
const output = createLossyOutput(process.stdout);

for (const { name, origin, demo } of [sandbox.hubspot, sandbox.salesforce])
  output.write(
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
  process.once(signal, () => void sandbox.close());
