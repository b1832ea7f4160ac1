import { toReason } from '../lib/to-reason.ts';
import { openSandbox, type Sandbox } from './open-sandbox.ts';

/** At the port that is asked for and the one after it, or at any free ones: the demo's connections follow. */
export async function openSandboxNear(port: number): Promise<SandboxNear> {
  try {
    const sandbox = await openSandbox({ hubspotPort: port, salesforcePort: port === 0 ? 0 : port + 1 });
    return { sandbox, notes: [toNote(sandbox)] };
  } catch (error) {
    const reason = toReason(error);
    const sandbox = await openSandbox();
    return { sandbox, notes: [`${toNote(sandbox)} (other ports: ${reason})`] };
  }
}

function toNote({ hubspot, salesforce }: Sandbox): string {
  return `Sandbox    ${hubspot.origin} (HubSpot), ${salesforce.origin} (Salesforce)`;
}

interface SandboxNear {
  readonly sandbox: Sandbox;
  /** For the person who starts it: where it listens. */
  readonly notes: readonly string[];
}
