/** Where a command reads from and writes to; passed in so that a test can observe it. */
export interface Console {
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where answers come from; default: the standard input of this process. */
  readonly stdin?: NodeJS.ReadableStream;
}

/**
 * Characters that move the cursor, ring the bell, rename the window or reverse text. Text from elsewhere may contain them: ids, messages,
 * names in a spreadsheet.
 */
const UNPRINTABLE = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const ESC = '\u001b';
/** Control sequences of this program itself: a screen or a line that is written again, ends of lines, the colours of `painter`. */
const OWN = new RegExp(
  `^${ESC}\\[H${ESC}\\[J|^\\r(?:${ESC}\\[K)?|\\r?\\n|\\t|${ESC}\\[(?:0|36|1;3[123])m`,
  'g',
);

/** Everything that commands print passes here. It prints control characters as `\u001b`, which a terminal shows and JSON reads back. */
export function safeConsole(process: {
  readonly stdout: Console['stdout'];
  readonly stderr: Console['stderr'];
  readonly env: Console['env'];
  readonly stdin?: NodeJS.ReadableStream;
}): Console {
  const { stdout, stderr, env } = process;
  // npx and `npm run` set it. In a clone no `slotbridge` is on the PATH outside of them.
  const said = env['npm_command'] === undefined ? printable : (text: string) => throughNpx(printable(text));
  return {
    stdout: { write: (text) => stdout.write(said(text)), isTTY: stdout.isTTY === true },
    stderr: { write: (text) => stderr.write(said(text)), isTTY: stderr.isTTY === true },
    env,
    // Opened only by a command that asks questions.
    get stdin() {
      return process.stdin as NodeJS.ReadableStream;
    },
  };
}

/** Commands to type stand in backquotes, after `: `, or on lines of their own. A line with a comment is that of a file. */
function throughNpx(text: string): string {
  return text.replace(/^(?!.*# ).+$/gm, (line) =>
    line.replace(/(`|: |^ {2,})(?=slotbridge (?:-|[a-z]))/g, '$1npx '),
  );
}

function printable(text: string): string {
  let [safe, end] = ['', 0];
  for (const { 0: own, index } of text.matchAll(OWN)) {
    safe += escaped(text.slice(end, index)) + own;
    end = index + own.length;
  }
  return safe + escaped(text.slice(end));
}

function escaped(text: string): string {
  return text.replace(UNPRINTABLE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
