import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import type { Console } from './console.ts';
import { interrupted } from './patient-read.ts';

/** Asks a person, line by line. */
export interface Asker {
  /** The trimmed answer; empty for a bare Enter. Rejects with `TerminalError` `interrupted` on Ctrl-C or at the end of input. */
  ask(question: string): Promise<string>;
  /** The same, without showing what the person types. */
  askSecret(question: string): Promise<string>;
  /** True for a bare Enter when `yes` is the default. */
  confirm(question: string, byDefault: 'yes' | 'no'): Promise<boolean>;
  /** Aborts on Ctrl-C: a terminal that is read line by line sends no signal to the process. */
  readonly stopped: AbortSignal;
  close(): void;
}

export function openAsker({ stdin = process.stdin, stdout }: Pick<Console, 'stdin' | 'stdout'>): Asker {
  let isHidden = false;
  const shown = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) stdout.write(String(chunk));
      done();
    },
  });
  // On a terminal, readline echoes what people type, so that this code can suppress it.
  const terminal = (stdin as { isTTY?: boolean }).isTTY === true;
  const lines = createInterface({ input: stdin, output: shown, terminal });
  const typed: string[] = [];
  const waiting: { readonly take: (line: string) => void; readonly fail: (error: Error) => void }[] = [];
  let isClosed = false;
  lines.on('line', (line) => {
    const next = waiting.shift();
    if (next === undefined) typed.push(line);
    else next.take(line);
  });
  const stop = new AbortController();
  lines.on('SIGINT', () => {
    stop.abort();
    lines.close();
  });
  lines.on('close', () => {
    isClosed = true;
    for (const { fail } of waiting.splice(0)) fail(interrupted());
  });
  // It was closed by `main.ts` once nobody read the questions.
  stdin.once('close', () => lines.close());
  if (!stdin.readable) lines.close();
  const ask = async (question: string): Promise<string> => {
    if (terminal && !isHidden) {
      // Readline redraws the prompt when a person edits the line.
      lines.setPrompt(`${question} `);
      lines.prompt();
    } else stdout.write(`${question} `);
    const line = typed.shift();
    if (line !== undefined) return line.trim();
    if (isClosed) throw interrupted();
    return (await new Promise<string>((take, fail) => waiting.push({ take, fail }))).trim();
  };
  return {
    ask,
    async askSecret(question) {
      isHidden = true;
      try {
        return await ask(question);
      } finally {
        isHidden = false;
        stdout.write('\n');
      }
    },
    async confirm(question, byDefault) {
      for (;;) {
        const answer = (await ask(`${question} [${byDefault === 'yes' ? 'Y/n' : 'y/N'}]`)).toLowerCase();
        if (answer === '') return byDefault === 'yes';
        if (['y', 'yes'].includes(answer)) return true;
        if (['n', 'no'].includes(answer)) return false;
      }
    },
    stopped: stop.signal,
    close: () => lines.close(),
  };
}
