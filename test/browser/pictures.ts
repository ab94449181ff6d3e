import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { house } from '../house/tree.ts';

const BYTES_MAX = 120_000;

/** A picture for the documents, docs/pictures/`name`.png. Only `npm run pictures` keeps it; each run sees that it can be taken. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const picture = await page.screenshot({ animations: 'disabled', caret: 'hide' });
  expect(picture.length).toBeLessThan(BYTES_MAX);
  if (process.env['SLOTBRIDGE_PICTURES'] === undefined) return;
  const folder = join(house, 'docs/pictures');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.png`), picture);
}
