import { createLossyOutput } from '../lib/lossy-output.ts';
import { openSandbox } from './open-sandbox.ts';

/** The sandbox alone, for another process to talk to: `main.js [HubSpot's port] [Salesforce's port]`. */
const [hubspotPort = 4010, salesforcePort = 4011] = process.argv.slice(2).map(Number);
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

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void sandbox.close());
