#!/usr/bin/env node
// Entry point. It checks the Node version before it loads anything that an older Node cannot run.
const NODE_AT_LEAST = [20, 19] as const;
/** How long the process may outlive its command. */
const LINGER_MS = 1_000;
let isUnread = false;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

for (const stream of [process.stdout, process.stderr]) stream.on('error', endQuietly);

if (major > NODE_AT_LEAST[0] || (major === NODE_AT_LEAST[0] && minor >= NODE_AT_LEAST[1])) {
  // liquidjs shows times through the machine's own zone, an hour wrong where that zone changes its clock.
  process.env['TZ'] = 'UTC';
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(process.argv, process);
  // A call that was cut off at its deadline may still hold a socket. Everything that matters is in Redis.
  setTimeout(() => process.exit(), LINGER_MS).unref();
} else {
  process.stderr.write(
    `slotbridge: this is Node ${process.versions.node}; it needs ${NODE_AT_LEAST.join('.')} or newer\n`,
  );
  process.exitCode = 1;
}

/**
 * The reader of a pipe has gone, as in `slotbridge check | head -1`: it wants no more, which is no failure. A command that runs until a
 * signal gets one. Any other finishes what it does, because half a `replay` or `apply` is a failure.
 */
function endQuietly(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
  // Nobody sees a question any more, so none is answered.
  process.stdin.destroy();
  const end = () => process.kill(process.pid, 'SIGTERM');
  if (process.listenerCount('SIGTERM') > 0) end();
  // `explain --follow` comes to wait for one only after its first lines.
  else if (!isUnread) process.on('newListener', (name) => name === 'SIGTERM' && setImmediate(end));
  isUnread = true;
}

export {};
