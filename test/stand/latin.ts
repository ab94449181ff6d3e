/** What is typed or stands in the settings: it is the same in every language. */
const TYPED = [
  // Masked values, as in a log line.
  /\[(?:email|name) \w{6}\]|\[phone\]/g,
  /`[^`]*`/g,
  /\bslotbridge [a-z-]+(?: [a-z-]+)*(?: --?[a-z-]+(?: [a-z-]+)?)*/g,
  // Codes, settings, addresses and ids.
  /\([a-z][a-z-]*\)/g,
  /[\w-]*(?:[@_./:-][\w@./:=?&#-]+)+/g,
];
/** Names that nobody translates. */
const NAMES = ['Calendar API', 'Sheets API', 'Google Cloud', 'Public API', 'API Google', 'removed: restore'];

const untyped = (text: string) =>
  [...TYPED, ...NAMES].reduce<string>((rest, part) => rest.replaceAll(part, ' | '), text);

/** Runs of two or more Latin words: in a Russian text, those are English. */
export function latinRuns(text: string): readonly string[] {
  return untyped(text).match(/[A-Za-z][A-Za-z'’]*(?:[ \u00a0,;:]+[A-Za-z][A-Za-z'’]*)+/g) ?? [];
}

/** All Latin words of three letters or more that are not typed or a name. */
export function latinWords(text: string): readonly string[] {
  return untyped(text).match(/[A-Za-z]{3,}/g) ?? [];
}
