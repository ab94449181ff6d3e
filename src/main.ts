#!/usr/bin/env node
// The entry. Nothing that an older Node cannot run is loaded before its version was looked at.
const NODE_AT_LEAST = [20, 19] as const;
/** How long the process may live on after its command has ended. */
const LINGER_MS = 1_000;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > NODE_AT_LEAST[0] || (major === NODE_AT_LEAST[0] && minor >= NODE_AT_LEAST[1])) {
  const { runProgram } = await import('./program.ts');
  process.exitCode = await runProgram(process.argv, process);
  // What was cut off at the end of its time may still hold a socket; everything that matters is in Redis.
  setTimeout(() => process.exit(), LINGER_MS).unref();
} else {
  process.stderr.write(
    `slotbridge: this is Node ${process.versions.node}; it needs ${NODE_AT_LEAST.join('.')} or newer\n`,
  );
  process.exitCode = 1;
}

export {};
