import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { runHere } from '../stand/command.ts';

test('whoever came through npx reads commands that begin with npx, and nobody else', async () => {
  const npx = { env: { npm_command: 'exec' } };
  const show = ['sandbox', '--show', '--data', '/nowhere'];
  const plain = await runHere(show);
  expect(plain.stderr).toContain('Run `slotbridge sandbox` in');
  expect((await runHere(show, npx)).stderr).toBe(plain.stderr.replace('`slotbridge', '`npx slotbridge'));
  const { stdout } = await runHere([], npx);
  expect(stdout).toContain('All commands: npx slotbridge --help');
  expect(stdout).toMatch(/^ {2}npx slotbridge /m);
  for (const shell of ['bash', 'zsh']) {
    const script = await runHere(['completion', shell]);
    expect((await runHere(['completion', shell], npx)).stdout).toBe(script.stdout);
  }
});

test('a taken port is named, with the process that holds it', async () => {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  const { code, stderr } = await runHere(['sandbox', '--google-port', String(port), '--data', '/nowhere']);
  server.close();
  expect(code).toBe(1);
  expect(stderr).toContain(`port ${port} is in use by `);
  expect(stderr).toContain(`(process ${process.pid})`);
});
