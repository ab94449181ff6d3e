/** A rule: its number within the section, what it says, and, where no test can show it, why. */
export type Rule = readonly [number: string, says: string, untested?: string];

/** The rules of one section of the document. The full id of a rule is `prefix.number`; its tests are in `prefix.test.ts`. */
export interface Section {
  readonly title: string;
  readonly prefix: string;
  readonly rules: readonly Rule[];
}

/** Reasons that come again and again. */
export const NOT_SHOWN = 'the document does not show it';
export const SILENT =
  'the document is silent or contradicts itself here; the sandbox has a switch for each reading';
export const ADVICE = 'advice to consumers; nothing of the server shows it';
