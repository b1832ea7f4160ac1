import { execFile } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { consent, openWireBrowser } from '../support/connect-browser.ts';
import { type Product, startProduct } from '../support/product.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);
/** As they stand in the section: the start, the link, the search. */
const [, MAKE_LINK = '', SEARCH = ''] = readBlocks('From zero to a real CRM');
/** `npm run -s crossbook -- …` without npm, which takes a second for each. */
const NPM = 'npm() { shift 4; dist/crossbook "$@"; }';
const NORTHWIND = '48001000';

const data = makeTemporaryFolder();
let product: Product;
beforeAll(async () => {
  product = await startProduct({ CROSSBOOK_DATA: data });
});
afterAll(async () => {
  await product?.stop();
  rmSync(data, { recursive: true, force: true });
});

test('the printed commands lead from nothing to the contacts of the chosen account', async () => {
  const [customer, link] = readAnswers(await shell(MAKE_LINK));
  expect(customer).toMatchObject({ customer_id: 'acme', connections: [] });
  expect(link).toMatchObject({ status: 'PENDING', providers: ['hubspot'] });

  const browser = openWireBrowser();
  const { consentUrl } = await browser.start(link?.url ?? '', { provider: 'hubspot' });
  const back = await browser.visit(await consent(consentUrl, { account: NORTHWIND }));
  expect(new URL(back.headers.get('location') ?? '').searchParams.get('status')).toBe('COMPLETED');

  const [found] = readAnswers(await shell(SEARCH));
  expect(found?.records).toMatchObject([{ first_name: 'Ada', last_name: 'of Northwind' }]);
});

async function shell(block: string): Promise<string> {
  const here = block
    .replaceAll('localhost:4000', new URL(product.url).host.replace('127.0.0.1', 'localhost'))
    .replace('<the key that was printed>', product.headers['x-api-key'] ?? '');
  const env = {
    PATH: process.env['PATH'] ?? '',
    CROSSBOOK_DATA: data,
    KEY: product.headers['x-api-key'] ?? '',
  };
  return (await run('bash', ['-e', '-c', `${NPM}\n${here}`], { env })).stdout;
}

/** `curl` writes one after the other, with nothing in between. */
function readAnswers(printed: string): Answer[] {
  return [...printed.matchAll(/\{.*?\}(?=\{|$)/g)].map(([json]) => JSON.parse(json) as Answer);
}

function readBlocks(heading: string): string[] {
  const [, section = ''] = readFileSync('docs/connect.md', 'utf8').split(`\n## ${heading}\n`);
  const [words = ''] = section.split('\n## ');
  return [...words.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
}

interface Answer {
  readonly url?: string;
  readonly records?: readonly unknown[];
}
