/** A rule: its number within the section, its text, and, when no test can show it, the reason. */
export type Rule = readonly [number: string, says: string, untested?: string];

/** The rules of one section of the document. A rule's full id is `prefix.number`; tests cite that id. */
export interface Section {
  readonly title: string;
  readonly prefix: string;
  readonly rules: readonly Rule[];
}
