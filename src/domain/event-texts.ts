import { plainText } from './plain-text.ts';
import { contentHash } from './snapshot.ts';

/** An event's texts as Google shows them. */
export type EventTexts = Readonly<Partial<Record<TextField, string>>>;
export type TextField = 'summary' | 'description' | 'location';
/** Field to the hash of its text. */
export type TextHashes = Readonly<Partial<Record<TextField, string>>>;

const HASH_CHARS = 16;
/** What separates an event's own text from a note. */
const SEPARATORS = /(?<![\s─—])[\s─—]+$/;

/** Hashes the texts without their note. Ignores blanks and markup, because Google's own form changes both when it saves. */
export function hashTexts(texts: EventTexts, note: string | undefined): TextHashes {
  const said = folded(note ?? '');
  const hashes = Object.entries(texts).map(([field, text]) => {
    const [own = ''] = said === '' ? [folded(text)] : folded(text).split(said);
    return [field, contentHash(own.replace(SEPARATORS, '')).slice(0, HASH_CHARS)] as const;
  });
  return Object.fromEntries(hashes);
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
  return plainText(text).replaceAll(/\s+/g, ' ').trim();
}
