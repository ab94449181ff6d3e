/** A rule: its number within the section, what it says, and, where no test can show it, why. */
export type Rule = readonly [number: string, says: string, untested?: string];

/** The rules of one section of the document. The full id of a rule is `prefix.number`; its tests cite it by that id. */
export interface Section {
  readonly title: string;
  readonly prefix: string;
  readonly rules: readonly Rule[];
}
