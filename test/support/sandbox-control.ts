/** Controls the sandbox of another process: `port` is its HubSpot's. */
export function createSandboxControl(port: number): SandboxControl {
  const ask = async (part: string, method: string, body: unknown) => {
    const response = await fetch(`http://127.0.0.1:${port}/__sandbox/accounts/demo/${part}`, {
      method,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
    if (!response.ok) throw new Error(await response.text());
  };
  return {
    liftLimits: () => ask('limits', 'PATCH', null),
    fail: (fault, timing = {}) => ask('faults', 'POST', { fault, ...timing }),
    clearFaults: () => ask('faults', 'DELETE', {}),
    async account() {
      const response = await fetch(`http://127.0.0.1:${port}/__sandbox/accounts/demo`);
      return (await response.json()) as SandboxTokens;
    },
    async calls() {
      const response = await fetch(`http://127.0.0.1:${port}/__sandbox/accounts/demo/calls`);
      return ((await response.json()) as { calls: readonly unknown[] }).calls;
    },
  };
}

export interface SandboxControl {
  liftLimits(): Promise<void>;
  fail(fault: unknown, timing?: FaultTiming): Promise<void>;
  clearFaults(): Promise<void>;
  account(): Promise<SandboxTokens>;
  /** All received calls, with or without a response. */
  calls(): Promise<readonly unknown[]>;
}

interface SandboxTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

interface FaultTiming {
  readonly times?: number;
  readonly after?: number;
  /** Only calls of this operation. */
  readonly operation?: string;
}
