/** The platform's document. */
import { SECTIONS } from '../platform/rules.ts';
import type { Suite } from '../report/suite.ts';
import { NEEDS } from '../stage/needs.ts';

const introduction = `# What the conformance suite shows of the platform's API

For whoever changes the platform's client or its sandbox. Written by \`npm run conformance -- --write-docs\` from
\`packages/sandbox/conformance/platform/rules/\` and the names of the tests; do not edit it by hand. \`npm run conformance -- --rules\` prints every rule of
the platform's document with the tests that show it. The id of a rule stands at the head of its tests' names.

- \`npm run conformance\` asks sandboxes of its own.
- \`npm run conformance -- --base-url URL --key KEY\` asks any server. What needs more than one key is skipped and says why.
  It makes contacts, appointments and webhook endpoints and mails nobody. At the end it cancels the appointments, archives the contacts and
  deletes the endpoints. CONFORMANCE_KEY does the same as \`--key\`, and keeps the key out of the list of processes.
- \`… --read-only\` sends GETs only, and ends with what it learned about things that the document does not show.
`;

export const platformSuite: Suite = {
  folder: 'platform',
  sections: SECTIONS,
  needs: NEEDS,
  page: 'docs/reference/platform-coverage.md',
  introduction,
  vitestConfig: 'packages/sandbox/conformance/vitest.config.ts',
};
