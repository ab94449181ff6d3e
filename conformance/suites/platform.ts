/** The platform's document. */
import { SECTIONS } from '../platform/rules.ts';
import type { Suite } from '../report/suite.ts';
import { NEEDS } from '../stage/needs.ts';

const introduction = `# What the conformance suite shows of the platform's API

Written by \`npm run conformance -- --write-docs\` from \`conformance/platform/rules/\` and the names of the tests; do not
edit it by hand. Each rule of the platform's document has a test that speaks plain HTTP, or the reason why it has none.

- \`npm run conformance\` asks sandboxes of its own.
- \`npm run conformance -- --base-url URL --key KEY\` asks any server; what needs more than one key is skipped and says why.
  It makes contacts and appointments (nobody is mailed, appointments are cancelled, contacts archived in the end) and
  webhook endpoints (deleted in the end). The key can also be given as CONFORMANCE_KEY, which keeps it out of the list of processes.
- \`… --read-only\` sends GETs only, and ends with what it learned about the things that the document does not show.

A test runs **anywhere**, **where one may write** (not with \`--read-only\`), or only against a sandbox: then the table says
what it needs.
`;

export const platformSuite: Suite = {
  folder: 'platform',
  sections: SECTIONS,
  needs: NEEDS,
  page: 'docs/platform-coverage.md',
  introduction,
  vitestConfig: 'conformance/vitest.config.ts',
};
