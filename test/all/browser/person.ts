import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';

/** Opens a browser that can reach only this machine, and records errors of its pages. */
export async function openPerson(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<Person> {
  const context = await browser.newContext(options);
  // Longer than a busy machine takes, and shorter than the test’s own limit, so that an error names the step.
  context.setDefaultTimeout(120_000);
  const [strangers, complaints]: string[][] = [[], []];
  await context.route('**/*', (route) => {
    const { hostname } = new URL(route.request().url());
    if (/^(?:127\.0\.0\.1|(?:[\w-]+\.)*localhost)$/.test(hostname)) return route.continue();
    strangers?.push(hostname);
    return route.abort();
  });
  return {
    async openTab() {
      const page = await context.newPage();
      page.on('pageerror', (error) => complaints?.push(error.message));
      return page;
    },
    cookies: () => context.cookies(),
    async leave() {
      await context.close();
      expect({ strangers, complaints }).toEqual({ strangers: [], complaints: [] });
    },
  };
}

/** Asserts that a page has no serious axe violations and does not overflow the screen; takes a screenshot. */
export async function lookAt(page: Page, picture: string): Promise<void> {
  await page.screenshot({ path: `test-results/${picture}.png`, fullPage: true });
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const { violations } = await (globalThis as unknown as Axe).axe.run();
    return violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      at: nodes.map(({ html }) => html),
    }));
  });
  const grave = found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  expect(grave, picture).toEqual([]);
  const overhang = await page.evaluate(
    () => document.documentElement.scrollWidth - window.innerWidth,
  );
  expect(overhang, picture).toBeLessThanOrEqual(0);
}

/** A click after which the page may close before the browser has confirmed the click. Callers check what it does. */
export async function clickToClose(button: Locator): Promise<void> {
  await button.click().catch((error: Error) => {
    if (!error.message.includes('has been closed')) throw error;
  });
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Axe {
  readonly axe: { run(): Promise<{ readonly violations: readonly Violation[] }> };
}

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly { readonly html: string }[];
}

export interface Person {
  openTab(): Promise<Page>;
  cookies(): Promise<
    readonly { readonly name: string; readonly value: string; readonly httpOnly: boolean }[]
  >;
  /** Fails if a page sent a request to another host, or threw an error. */
  leave(): Promise<void>;
}
