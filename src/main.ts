#!/usr/bin/env node
// The entry. Nothing that an older Node cannot run is loaded before its version was looked at.
const NODE_AT_LEAST = [20, 19] as const;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major > NODE_AT_LEAST[0] || (major === NODE_AT_LEAST[0] && minor >= NODE_AT_LEAST[1])) {
  await import('./program.ts');
} else {
  process.stderr.write(
    `slotbridge: this is Node ${process.versions.node}; it needs ${NODE_AT_LEAST.join('.')} or newer\n`,
  );
  process.exitCode = 1;
}

export {};
