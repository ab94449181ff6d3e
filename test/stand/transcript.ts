/** One command of a document with what it printed, under its section. */
export interface Transcript {
  readonly section: string;
  /** Without the `$`. */
  readonly command: string;
  readonly output: string;
  /** Lines of the document, from the `$` line to behind the last line of the output. */
  readonly from: number;
  readonly to: number;
}

const INDENT = '    ';

/** The indented `$ slotbridge …` lines of a document, each with the indented lines below it. */
export function transcriptsOf(text: string): Transcript[] {
  const lines = text.split('\n');
  const found: Transcript[] = [];
  let section = '';
  for (let at = 0; at < lines.length; at += 1) {
    section = /^## (.+)$/.exec(lines[at] ?? '')?.[1] ?? section;
    const command = /^ {4}\$ (slotbridge .+)$/.exec(lines[at] ?? '')?.[1];
    if (command === undefined) continue;
    const to = endOf(lines, at + 1);
    const output = lines
      .slice(at + 1, to)
      .map((line) => line.slice(INDENT.length))
      .join('\n');
    found.push({ section, command, output: output.trimEnd(), from: at, to });
  }
  return found;
}

/** Blank lines belong to the output while an indented line follows that is no command. */
function endOf(lines: readonly string[], from: number): number {
  let to = from;
  for (let at = from; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line === '') continue;
    if (!line.startsWith(INDENT) || line.startsWith(`${INDENT}$ `)) break;
    to = at + 1;
  }
  return to;
}

/** The document with other transcripts in the places of these. */
export function withTranscripts(
  text: string,
  fresh: readonly { readonly old: Transcript; readonly command: string; readonly output: string }[],
): string {
  const lines = text.split('\n');
  for (const { old, command, output } of fresh.toSorted((a, b) => b.old.from - a.old.from)) {
    const shown = output.split('\n').map((line) => (line === '' ? '' : `${INDENT}${line}`.trimEnd()));
    lines.splice(old.from, old.to - old.from, `${INDENT}$ ${command}`, ...shown);
  }
  return lines.join('\n');
}

/** Stands in a transcript for lines that an earlier one, shown whole, has too. */
const LEFT_OUT = '…';

/** `output` with `…` in place of runs of lines that `whole`, a printout of the same command, has too. The first line stays. */
export function abridged(output: string, whole: string): string {
  const shown = new Set(whole.split('\n').map(shapeOf));
  return output
    .split('\n')
    .map((line, index) => (index > 0 && shown.has(shapeOf(line)) ? LEFT_OUT : line))
    .filter((line, index, lines) => line !== LEFT_OUT || lines[index - 1] !== LEFT_OUT)
    .join('\n');
}

/** What a command line says, word by word; quotes hold words together. */
export function wordsOf(command: string): string[] {
  return [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
}

/** How often a command says how far it is depends on the machine. */
const PROGRESS = /^(?:waiting for the worker|waiting for another resync: .*|\w+: <n> object read so far)$/;

/** The output without what differs from run to run: ids, times, counts. Lines of the same shape in a row are one. */
export function shapeOf(output: string): string {
  const lines = output
    .replaceAll(/\bsb[0-9a-f]{32}(?:g\d)?\b/g, '<event>')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\breq_\S+/g, '<request>')
    .replaceAll(/\b(?:evt|event)_\S+/g, '<id>')
    .replaceAll(/http:\/\/127\.0\.0\.1:\d+/g, '<address>')
    .replaceAll(/unix:\/\/[\w./-]+/g, '<address>')
    // Whichever calendar was read longest ago stands first.
    .replaceAll(/^ +\S+: seen up to/gm, '  <calendar>: seen up to')
    .replaceAll(/\/tmp\/[\w./-]+/g, '<path>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
    .replaceAll(/(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d UTC/g, '<time>')
    .replaceAll(/\b[A-Z][a-z]{2} \d{1,2} [A-Z][a-z]{2,3} \d{4}, \d\d:\d\d\b/g, '<time>')
    .replaceAll(/\bversion \S+/g, 'version <version>')
    .replaceAll(/\d[\d.,]* (?:ms|s|min|h|d)\b(?: \d+ (?:min|h|s)\b)?/g, '<duration>')
    .replaceAll(/\d[\d.,]*/g, '<n>')
    .replaceAll(/<n> (object|revision|letter|row|attempt|problem|appointment|contact)s\b/g, '<n> $1')
    .replaceAll(/\bby (?:webhook|feed)\b/g, 'by <way>')
    // Whichever request the refusal met first.
    .replaceAll(/\b\w+\.list: the platform does not accept/g, '<request>: the platform does not accept')
    .split('\n')
    .map((line) => line.replaceAll(/ {2,}/g, '  ').trimEnd());
  return lines
    .filter((line) => !PROGRESS.test(line))
    .filter((line, index) => line === '' || line !== lines[index - 1])
    .join('\n')
    .trim();
}
