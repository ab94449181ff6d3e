import { contentHash } from './object.ts';

// Anyone who can send an invitation chooses this text. Every step is therefore linear in its length, and no regular expression searches for
// an end.

/** Frame of the worker's answer in an event that people own. Plain characters, because Google does not promise to keep an HTML rule. */
const ANSWER_LINE = '────── slotbridge ──────';
const END_LINE = '────────────────────────';
/** Matches one break at a time, from left to right. */
const BREAK = /\n|<br\s*\/?>/gi;
const BREAKS_AT = /\s+|<br\s*\/?>/iy;
const BLANK = /\s/;

/** The description without the worker's answers: people's own text, including what they typed below an answer. */
export function withoutAnswer(description: string): string {
  const [before = '', ...after] = aroundAnswers(description);
  const own = [withoutBreaksAfter(before), ...after.map(withoutBreaksBefore)];
  return withoutBreaksAfter(own.filter((part) => part !== '').join('\n'));
}

/** People's own text with this answer below it, and no older answer. */
export function withAnswer(description: string, answer: string): string {
  const own = withoutAnswer(description);
  if (answer === '') return own;
  return `${own}${own === '' ? '' : '\n\n'}${ANSWER_LINE}\n${answer}\n${END_LINE}`;
}

/**
 * The parts of the text outside the answers. An answer ends at its end line. If people deleted that line, it ends at the first empty line,
 * because an answer contains none.
 */
function aroundAnswers(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  let end = -1;
  for (let at = text.indexOf(ANSWER_LINE); at >= 0; at = text.indexOf(ANSWER_LINE, from)) {
    parts.push(text.slice(from, at));
    const inside = at + ANSWER_LINE.length;
    // Do not repeat a search that has already found a later end line, or none.
    if (end < inside) end = indexOrEnd(text, END_LINE, inside);
    const next = indexOrEnd(text, ANSWER_LINE, inside);
    from = end < text.length && end <= next ? end + END_LINE.length : emptyLineAt(text, inside);
  }
  return [...parts, text.slice(from)];
}

function indexOrEnd(text: string, part: string, from: number): number {
  const at = text.indexOf(part, from);
  return at < 0 ? text.length : at;
}

/** The first empty line: two breaks with only blanks between them, including the blanks before. Otherwise the end of the text. */
function emptyLineAt(text: string, from: number): number {
  BREAK.lastIndex = from;
  let before: { readonly at: number; readonly end: number } | undefined;
  for (let found = BREAK.exec(text); found !== null; found = BREAK.exec(text)) {
    if (before !== undefined && text.slice(before.end, found.index).trim() === '') {
      let at = before.at;
      while (at > from && text[at - 1] !== '\n' && BLANK.test(text.charAt(at - 1))) at -= 1;
      return at;
    }
    before = { at: found.index, end: BREAK.lastIndex };
  }
  return text.length;
}

function withoutBreaksBefore(text: string): string {
  let at = 0;
  BREAKS_AT.lastIndex = 0;
  while (BREAKS_AT.test(text)) at = BREAKS_AT.lastIndex;
  return text.slice(at);
}

function withoutBreaksAfter(text: string): string {
  let end = text.length;
  for (let at: number | undefined = end; at !== undefined; at = breakBefore(text, end))
    end = blanksBefore(text, at);
  return text.slice(0, end);
}

/** Start of the `<br>` that ends at `end`; undefined if there is none. */
function breakBefore(text: string, end: number): number | undefined {
  if (text[end - 1] !== '>') return undefined;
  const inside = blanksBefore(text, text[end - 2] === '/' ? end - 2 : end - 1);
  return text.slice(Math.max(0, inside - 3), inside).toLowerCase() === '<br' ? inside - 3 : undefined;
}

function blanksBefore(text: string, end: number): number {
  let at = end;
  while (at > 0 && BLANK.test(text.charAt(at - 1))) at -= 1;
  return at;
}

/** The private property that every event of the worker carries. The worker lists its events by this one constraint. */
export const MARK = { key: 'slotbridge', value: '1' };
/** Private properties that name the event's appointment and mirror. */
export const APPOINTMENT_MARK = 'slotbridge_appointment';
export const MIRROR_MARK = 'slotbridge_mirror';
/** Marks a class event with its `classSlotText`. `APPOINTMENT_MARK` then holds the id of the class. */
export const CLASS_MARK = 'slotbridge_class';
/** Start and calendar of the event when the worker last wrote it. After Redis lost its link, they show what people did to it. */
export const WRITTEN_MARK = 'slotbridge_written';
/**
 * Private properties with the ids of the appointments that a class event names, some in each. An erasure uses them to find every event that
 * names a person.
 */
export const GUEST_MARKS: readonly string[] = Array.from(
  { length: 16 },
  (_, at) => `slotbridge_guests_${at}`,
);
/** The private property of the note that a calendar is behind. The worker finds the note by it after a loss of Redis. */
export const NOTE_MARK = { key: 'slotbridge_note', value: '1' };

// What people see of an event: its texts as hashes, without the worker's note.

/** An event's texts as Google shows them. */
export type EventTexts = Readonly<Partial<Record<TextField, string>>>;
/** What is stored depends on the order: only add at the end. */
export const TEXT_FIELDS = ['summary', 'description', 'location'] as const;
export type TextField = (typeof TEXT_FIELDS)[number];
/** Field to the hash of its text. */
export type TextHashes = Readonly<Partial<Record<TextField, string>>>;

const TEXT_HASH_CHARS = 16;
/** What separates an event's own text from a note. */
const SEPARATORS = /(?<![\s─—])[\s─—]+$/;

/** Hashes the texts without their note. Ignores blanks and markup, because Google's own form changes both when it saves. */
export function hashTexts(texts: EventTexts, note: string | undefined): TextHashes {
  const said = folded(note ?? '');
  const hashes: Record<string, string> = {};
  for (const [field, text] of Object.entries(texts)) {
    const [own = ''] = said === '' ? [folded(text)] : folded(text).split(said);
    hashes[field] = contentHash(own.replace(SEPARATORS, '')).slice(0, TEXT_HASH_CHARS);
  }
  return hashes;
}

/** Whether people have rewritten a text whose hash is known. */
export function areRewritten(known: TextHashes, texts: EventTexts, note: string | undefined): boolean {
  const fields = Object.keys(known) as TextField[];
  const now = hashTexts(Object.fromEntries(fields.map((field) => [field, texts[field] ?? ''])), note);
  return fields.some((field) => now[field] !== known[field]);
}

/** Whether both look the same to people: ignores blanks and markup. */
export function isSameToPeople(one: string, other: string): boolean {
  return folded(one) === folded(other);
}

export function isNoteIn(texts: EventTexts, note: string): boolean {
  return Object.values(texts).some((text) => folded(text).includes(folded(note)));
}

function folded(text: string): string {
  return withoutMarkup(text).replaceAll(/\s+/g, ' ').trim();
}

/** Links keep hashes of this form: changing it would make every event look rewritten. */
function withoutMarkup(html: string): string {
  return withoutTags(html.replaceAll(/<br\s*\/?>|<\/(?:p|div|li)>/gi, '\n'))
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .trim();
}

function withoutTags(html: string): string {
  const parts: string[] = [];
  let from = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', from)) {
    const end = html.indexOf('>', at);
    // No bracket closes from here on: the rest is text.
    if (end < 0) break;
    parts.push(html.slice(from, at));
    from = end + 1;
  }
  return parts.join('') + html.slice(from);
}
