import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { house } from '../house/tree.ts';

const BYTES_MAX = 120_000;
/** As sharp as a lossless one at a third of its size. */
const FORMAT = { format: 'webp', quality: 90 } as const;

/** A picture for the documents, docs/pictures/`name`.webp. Only `npm run pictures` keeps it; each run sees that it can be taken. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const debug = await page.context().newCDPSession(page);
  const { data } = await debug.send('Page.captureScreenshot', FORMAT);
  const picture = Buffer.from(data, 'base64');
  expect(picture.length).toBeGreaterThan(1_000);
  expect(picture.length).toBeLessThan(BYTES_MAX);
  if (process.env['SLOTBRIDGE_PICTURES'] === undefined) return;
  const folder = join(house, 'docs/pictures');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.webp`), picture);
}
