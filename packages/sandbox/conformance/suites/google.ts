/** The known behaviour of Google Calendar and Google Sheets. */
import { SECTIONS } from '../google/rules.ts';
import { NEEDS } from '../office/needs.ts';
import type { Suite } from '../report/suite.ts';

const introduction = `# What the conformance suite shows of Google Calendar and Google Sheets

For whoever changes the Google client or its sandbox. Written by \`npm run conformance:google -- --write-docs\` from
\`packages/sandbox/conformance/google/rules/\` and the names of the tests; do not edit it by hand. \`npm run conformance:google -- --rules\` prints every
rule with the tests that show it. The id of a rule stands at the head of its tests' names.

Each rule begins with how it is known: **[D]** Google's discovery documents · **[G]** Google's guides · **[R]** a recorded
answer of Google · **[L]** measured live · **[F]** reported from the field · **[M]** measured on a local
server · **[S]** read in the client's source · **[I]** a guess. A guess is held against the sandbox only.

- \`npm run conformance:google\` asks sandboxes of its own.
- \`npm run conformance:google -- --key-file KEY.json --calendar ID --spreadsheet ID\` asks Google, in a calendar and a
  spreadsheet that are shared with the service account. Use ones that nobody needs. It makes events in June 2035, invites nobody, and makes
  tabs called \`Test_…\`; it deletes all of them at the end. It waits when a quota is used up. \`--token\` takes an access token instead
  of a key file.
- \`… --calendar-url URL --sheets-url URL\` asks another server in Google's place. \`… --read-only\` sends GETs only.
`;

export const googleSuite: Suite = {
  folder: 'google',
  sections: SECTIONS,
  needs: NEEDS,
  page: 'docs/reference/google-coverage.md',
  introduction,
  vitestConfig: 'packages/sandbox/conformance/google.vitest.config.ts',
};
