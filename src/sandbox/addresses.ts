// Where a running `slotbridge sandbox` can be reached, for the commands beside it: its ports may be others than usual.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Addresses {
  /** With the version: `http://127.0.0.1:4010/v1`. */
  readonly platform: string;
  readonly google: string;
}

export function writeAddresses(dataDir: string, { platform, google }: Addresses): void {
  writeFileSync(fileIn(dataDir), `${JSON.stringify({ platform, google })}\n`);
}

export function forgetAddresses(dataDir: string): void {
  rmSync(fileIn(dataDir), { force: true });
}

/** Undefined: none was left behind, so no sandbox runs with this folder. */
export function readAddresses(dataDir: string): Addresses | undefined {
  try {
    return JSON.parse(readFileSync(fileIn(dataDir), 'utf8')) as Addresses;
  } catch {
    return undefined;
  }
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'addresses.json');
}
