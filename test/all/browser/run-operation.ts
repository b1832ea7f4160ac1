import type { Page, Request } from 'playwright-core';
import { expect } from 'vitest';

/**
 * Clicks GraphiQL's play button until it has sent this operation. GraphiQL ignores a click before its editors exist,
 * and sends the name of the previous operation until it has parsed the one that it displays.
 */
export async function runOperation(page: Page, operationName: string): Promise<void> {
  const sent: unknown[] = [];
  const record = (request: Request) => {
    if (request.method() === 'POST') sent.push(request.postDataJSON()?.operationName);
  };
  page.on('request', record);
  const button = page.getByRole('button', { name: /^Execute/ });
  await expect
    .poll(async () => {
      // Until the response has arrived, the button is named Stop: no operation is sent twice.
      await button.waitFor();
      if (!sent.includes(operationName)) await button.click();
      return sent;
    })
    .toContain(operationName);
  page.off('request', record);
}
