import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeAddresses } from '@slotbridge/sandbox/addresses';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { bookInSandbox } from '../../src/worker/commands.ts';

let folder: string;
const server = createServer((_, answer) => answer.end('{}'));
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slotbridge-visitor-'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeAddresses(folder, { platform: url, google: url });
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a sandbox that was ended without a word does not run', async () => {
  await new Promise((done) => server.close(done));
  await expect(bookInSandbox(folder)).rejects.toMatchObject({ code: 'sandbox-not-running' });
});

test('an answer that the visitor does not understand is not told as a sandbox that does not run', async () => {
  await expect(bookInSandbox(folder)).rejects.toThrow(TypeError);
});
