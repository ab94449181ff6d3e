/** One set of rules with its tests and its page. The reports are made from it. */
import type { Section } from './section.ts';

export interface Suite {
  /** The folder of the tests and rule tables, below conformance/. */
  readonly folder: string;
  readonly sections: readonly Section[];
  /** What `needing` tests need, by keyword. */
  readonly needs: Readonly<Record<string, string>>;
  /** Path of the coverage page from the repository root. */
  readonly page: string;
  readonly introduction: string;
  /** Path of Vitest's configuration from the repository root. */
  readonly vitestConfig: string;
}
