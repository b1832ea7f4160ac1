import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Free licences that ask for no more than to be named. */
const FREE = ['MIT', 'ISC', '0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0'];

test('everything that ships is under a free licence', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Packages };
  const shipped = Object.entries(packages).filter(([path, { dev, link }]) => path !== '' && !dev && !link);
  expect(shipped.length).toBeGreaterThan(40);
  const others = shipped.filter(([, { license }]) => !FREE.includes(license ?? 'none'));
  expect(others.map(([path, { license }]) => `${path}: ${license}`)).toEqual([]);
});

type Packages = Readonly<
  Record<string, { readonly dev?: boolean; readonly link?: boolean; readonly license?: string }>
>;
