/** What is known of Google Calendar and Google Sheets. */
import { SECTIONS } from '../google/rules.ts';
import { NEEDS } from '../office/needs.ts';
import type { Suite } from '../report/suite.ts';

const introduction = `# What the conformance suite shows of Google Calendar and Google Sheets

Written by \`npm run conformance:google -- --write-docs\` from \`conformance/google/rules/\` and the names of the tests; do not
edit it by hand. Each rule that the worker or its sandbox relies on has a test that speaks plain HTTP, or the reason why it
has none.

Each rule begins with how it is known: **[D]** Google's discovery documents · **[G]** Google's guides · **[R]** a recorded
answer of Google · **[L]** somebody has measured it live · **[F]** reported from the field · **[M]** measured on a local
server · **[S]** read in the client's source · **[I]** a guess. A guess is held against the sandbox only.

- \`npm run conformance:google\` asks sandboxes of its own.
- \`npm run conformance:google -- --key-file KEY.json --calendar ID --spreadsheet ID\` asks Google, in a calendar and a
  spreadsheet that are shared with the service account. It makes events in June 2035 (nobody is invited, deleted in the end)
  and tabs called \`Test_…\` (deleted in the end), and waits when a quota is used up: use a calendar and a spreadsheet that
  nobody needs. \`--token\` takes an access token instead of a key file.
- \`… --calendar-url URL --sheets-url URL\` asks another server in Google's place, and \`… --read-only\` sends GETs only.

A test runs **anywhere**, **where one may write** (not with \`--read-only\`), or only against a sandbox: then the table says
what it needs.
`;

export const googleSuite: Suite = {
  folder: 'google',
  sections: SECTIONS,
  needs: NEEDS,
  page: 'docs/google-coverage.md',
  introduction,
  vitestConfig: 'conformance/google.vitest.config.ts',
};
