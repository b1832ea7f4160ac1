import { openSandbox, type Sandbox } from '@crossbook/sandbox';
import { toReason } from '../lib/output.ts';

/**
 * Opens the sandbox at the given port and the next ones, or at any free ports: the demo's connections use
 * placeholder origins.
 */
export async function openSandboxNear(port: number, withPipedrive: boolean): Promise<SandboxNear> {
  try {
    const sandbox = await openSandbox({
      hubspotPort: port,
      salesforcePort: port === 0 ? 0 : port + 1,
      pipedrivePort: port === 0 || !withPipedrive ? 0 : port + 2,
    });
    return { sandbox, notes: [toNote(sandbox, withPipedrive)] };
  } catch (error) {
    const sandbox = await openSandbox();
    return {
      sandbox,
      notes: [`${toNote(sandbox, withPipedrive)} (other ports: ${toProblem(error, port)})`],
    };
  }
}

function toProblem(error: unknown, port: number): string {
  if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') return toReason(error);
  return `${port} or ${port + 1} is in use; CROSSBOOK_SANDBOX_PORT sets another`;
}

function toNote({ hubspot, salesforce, pipedrive }: Sandbox, withPipedrive: boolean): string {
  const third = withPipedrive ? `, ${pipedrive.origin} (Pipedrive)` : '';
  return `Sandbox    ${hubspot.origin} (HubSpot), ${salesforce.origin} (Salesforce)${third}`;
}

interface SandboxNear {
  readonly sandbox: Sandbox;
  /** Lines for the terminal: the listening addresses. */
  readonly notes: readonly string[];
}
