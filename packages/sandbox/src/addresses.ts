// The addresses of a running `slotbridge sandbox`, for other commands: its ports may differ from the defaults.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Addresses {
  /** Includes the version: `http://127.0.0.1:4010/v1`. */
  readonly platform: string;
  readonly google: string;
}

export function writeAddresses(dataDir: string, { platform, google }: Addresses): void {
  writeFileSync(fileIn(dataDir), `${JSON.stringify({ platform, google })}\n`);
}

export function forgetAddresses(dataDir: string): void {
  rmSync(fileIn(dataDir), { force: true });
}

/** Undefined when there is no readable address file: no sandbox runs with this folder. */
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
