/** Is the work linear in the length of what strangers type? Asked of the processor's own account, which other programs do not touch. */

/** Long enough for a square to stand out by far, and short enough for a sweep of thousands. */
const CHARS = 1_000;
const TIMES = 8;
/** Below it nothing can be told apart, and nobody waits: linear work of so many characters takes a fiftieth of it. */
const FLOOR_US = 15_000;
/** Linear work grows by 8, a square by 64. Half-way between them, a busy machine that takes twice as long deceives nobody. */
const GROWTH_MAX = TIMES ** 1.5;
/** So many times the same answer: one try may fall into the moment when a machine gets slower. */
const AGREED = 3;

/** True when eight times the text costs far more than eight times the work, at most tries. */
export function growsTooFast(work: (text: string) => unknown, make: (chars: number) => string): boolean {
  let tooFast = 0;
  for (let linear = 0; linear < AGREED; ) {
    const long = costOf(work, make(CHARS * TIMES));
    if (long < FLOOR_US) return false;
    const text = make(CHARS);
    // As often as a square costs the same: the account of the processor is too coarse for less.
    const short = costOf(() => {
      for (let times = 0; times < TIMES * TIMES; times += 1) quietly(work, text);
    }, text);
    if (long < (GROWTH_MAX * Math.max(1, short)) / TIMES ** 2) linear += 1;
    else tooFast += 1;
    if (tooFast === AGREED) return true;
  }
  return false;
}

function costOf(work: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage();
  quietly(work, text);
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

function quietly(work: (text: string) => unknown, text: string): void {
  try {
    work(text);
  } catch {
    // A refusal is an answer, too; what counts is how long it took.
  }
}

/** What has made some parser or other slow: alone, in pairs, behind something, and with an end that fits nothing. */
const PIECES = [
  ...[' ', '\n', '\t', '\u00a0', '0', '1', '9', 'a', 'ж', 'T', '.', ',', ';', ':', '-', '_', '+', '*', '='],
  ...['(', ')', '[', ']', '{', '<', '>', '&', '@', '/', '\\', '"', '“', "'", '`', '#', '%', '─', '—', '…'],
];
const WORDS = [
  ...[
    '────── slotbridge ──────',
    '────────────────────────',
    '──────',
    '<br',
    '<br ',
    '<br>',
    '<br/>\n',
    '</p>',
  ],
  ...[
    '<!--',
    '<script',
    '&amp;',
    '&',
    '{{',
    '{%',
    '#book ',
    'a@',
    '@a.',
    'a.a',
    '.-',
    '\r\n',
    '+7 ',
    '1 (',
    '1((',
  ],
  ...[
    '8 ',
    '1/',
    '1:',
    '1 h ',
    '1h 3',
    '60+',
    ' 1 x ',
    ' и ',
    'до ',
    'T00',
    'T00:00',
    '+00',
    ',v1=',
    't=1,',
    'v1,a ',
  ],
  ...[
    'requests[',
    'Bearer ',
    '://',
    '-----BEGIN ',
    'whsec_',
    '"a',
    '\ud800',
    '😀',
    '2026-03-03 ',
    '1.1.',
    'час ',
  ],
];
const BEFORE = ['', '1', '<', '#book '];
const AFTER = ['\u0001!', 'x'];
/** Every so many pieces are tried in pairs as well. */
const PAIRED = 2;

export type Attack = readonly [name: string, make: (chars: number) => string];

/** Texts of any length that somebody may send. */
export function attacks(): readonly Attack[] {
  const alone = [...PIECES, ...WORDS].flatMap((piece) =>
    BEFORE.flatMap((before) => AFTER.map((after) => [before, piece, after] as const)),
  );
  const some = PIECES.filter((_, at) => at % PAIRED === 0);
  const pairs = some.flatMap((one) => some.map((other) => ['', one + other, '!'] as const));
  return [...alone, ...pairs].map(([before, piece, after]) => repeated(piece, before, after));
}

/** The same for one expression or filter of many: each piece alone, and those that the expression itself knows. */
export function fewAttacks(own: readonly string[] = []): readonly Attack[] {
  return [...PIECES, ...WORDS, ...own].flatMap((piece) => [
    repeated(piece, '', '\u0001!'),
    repeated(piece, '<1', 'x'),
  ]);
}

function repeated(piece: string, before: string, after: string): Attack {
  const make = (chars: number) => before + piece.repeat(Math.ceil(chars / piece.length)) + after;
  return [JSON.stringify([before, `${piece} many times`, after]), make];
}

/** The first texts that make the work grow too fast, by name. */
export function slowWith(work: (text: string) => unknown, tried: readonly Attack[]): string[] {
  const slow: string[] = [];
  for (const [name, make] of tried) {
    if (growsTooFast(work, make)) slow.push(name);
    if (slow.length === 3) break;
  }
  return slow;
}
