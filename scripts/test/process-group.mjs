import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const passedOn = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a command in a process group of its own and ends what is left of the group when it is done; answers its exit
 * code. Being apart from the terminal's group, it is told of Ctrl-C by us.
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
    // Everybody in it has ended.
    if (error.code !== 'ESRCH') throw error;
  }
}
