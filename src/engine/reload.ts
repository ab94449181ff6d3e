/** What became of the newest YAML of a worker. */
export type ReloadOutcome =
  | { readonly as: 'taken-up'; readonly changes: readonly string[] }
  | { readonly as: 'unchanged' }
  | ({ readonly as: 'rejected' } & Rejection);

/** Why a changed YAML was not taken up. Holds nothing that the file says: names of people may stand in it. */
export interface Rejection {
  /** English. */
  readonly reason: string;
  /** What it names, the same in every language: the line of the file, or a code. */
  readonly names: readonly string[];
  /** False if the YAML is right and something else is not, such as a port or a key file. */
  readonly isAboutYaml: boolean;
}

/** An outcome, and when the YAML was read: by the clock that all processes of one machine share. */
export type DatedOutcome = ReloadOutcome & { readonly readAtMs: number };
