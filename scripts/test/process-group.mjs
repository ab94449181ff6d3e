import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a command in its own process group, ends the rest of the group when the command is done, and returns its
 * exit code. The group is separate from the terminal's, so this function forwards Ctrl-C.
 */
export function runGroup([program, ...args], options) {
  const child = spawn(program, args, { ...options, stdio: 'inherit', detached: true });
  const tell = (signal) => signalGroup(child.pid, signal);
  for (const signal of passedOn) process.on(signal, tell);
  return new Promise((done, fail) => {
    child.once('error', fail);
    child.once('exit', (code, signal) => {
      for (const name of passedOn) process.off(name, tell);
      signalGroup(child.pid, 'SIGKILL');
      done(code ?? 128 + (constants.signals[signal] ?? 0));
    });
  });
}

function signalGroup(pid, signal) {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // Every process of the group has already ended.
    if (error.code !== 'ESRCH') throw error;
  }
}
