import { openSandbox, type Sandbox } from '@crossbook/sandbox';
import { afterAll, beforeAll } from 'vitest';
import { BACKGROUND_WORK, type RequestWork } from '../../src/admission/work.ts';
import type { Connection, Credentials } from '../../src/domain/connection.ts';
import type { CrmAccess, CrmPort, Provider, RecordPort } from '../../src/domain/provider.ts';
import { CONTACT, type Contact } from '../../src/domain/records/contact.ts';
import type { OAuthClient } from '../../src/domain/token-refresh.ts';
import { createOutbound, type Outbound } from '../../src/outbound/outbound.ts';
import type { OutboundOptions } from '../../src/outbound/outbound-options.ts';
import { createConnection } from './connection.ts';
import { createFakeContactCache } from './fake-contact-cache.ts';
import { createFakeCredentials } from './fake-credentials.ts';

/** Ports to accounts of a sandbox over the product's own HTTP client, with the credentials in memory. */
export function createSandboxPorts(sandbox: () => Sandbox): SandboxPorts {
  const outbounds: Outbound[] = [];
  return {
    open(
      provider,
      account,
      { credentials: ownCredentials, work = BACKGROUND_WORK, ...options } = {},
    ) {
      const { name, crm } = provider;
      // HubSpot's app and API have different hosts: in the sandbox both are one.
      const instanceUrl = name === 'hubspot' ? sandbox().hubspot.origin : account.instanceUrl;
      const outbound = createOutbound({
        sandboxOrigins: [instanceUrl],
        findOAuthClient: async () => account,
        providers: new Map([[name, provider]]),
        ...options,
        settings: { deadlineMs: 600_000, ...options.settings },
      });
      outbounds.push(outbound);
      const { accessToken, refreshToken } = account;
      const credentials = createFakeCredentials(
        ownCredentials ?? { type: 'oauth2', accessToken, refreshToken, expiresAt: null },
        instanceUrl,
      );
      const connection: Connection = createConnection(name, { instanceUrl });
      const access = crm as CrmAccess;
      const crmPort = outbound.openCrmPort({
        connection,
        access,
        credentials: credentials.store,
        work,
        cache: createFakeContactCache(),
      });
      return { crm: crmPort, port: crmPort.of(CONTACT), credentials };
    },
    async close() {
      await Promise.all(outbounds.splice(0).map((outbound) => outbound.close()));
    },
  };
}

/** The same with one sandbox for all tests of a file, closed with its ports. */
export function useSandboxPorts(): {
  readonly sandbox: () => Sandbox;
  readonly ports: SandboxPorts;
} {
  let opened: Sandbox;
  const sandbox = () => opened;
  const ports = createSandboxPorts(sandbox);
  beforeAll(async () => {
    opened = await openSandbox();
  });
  afterAll(async () => {
    await ports.close();
    await opened.close();
  });
  return { sandbox, ports };
}

export interface SandboxPorts {
  open(provider: Provider, account: PortAccount, options?: PortOptions): OpenedPort;
  close(): Promise<void>;
}

export interface OpenedPort {
  readonly crm: CrmPort;
  /** Its contacts. */
  readonly port: RecordPort<Contact>;
  readonly credentials: ReturnType<typeof createFakeCredentials>;
}

interface PortOptions extends Partial<OutboundOptions> {
  /** Defaults to those of the account's OAuth client. */
  readonly credentials?: Credentials;
  /** Default: that of a background job. */
  readonly work?: RequestWork;
}

interface PortAccount extends OAuthClient {
  readonly instanceUrl: string;
  readonly accessToken: string;
  readonly refreshToken: string;
}
