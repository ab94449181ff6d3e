/** One set of rules with its tests and its page: what the reports are made from. */
import type { Section } from './section.ts';

export interface Suite {
  /** Folder of the tests and the rule tables, under conformance/. */
  readonly folder: string;
  readonly sections: readonly Section[];
  /** What `needing` tests need, by the word they use for it. */
  readonly needs: Readonly<Record<string, string>>;
  /** The coverage page, from the root of the repository. */
  readonly page: string;
  readonly introduction: string;
  /** Vitest's configuration, from the root of the repository. */
  readonly vitestConfig: string;
}
