import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { house } from '../../../../test/house/tree.ts';
import { runHere } from '../../../../test/stand/command.ts';
import { startTestRedis, type TestRedis } from '../../../../test/stand/redis.ts';
import type { Difference } from '../../scenarios/judge.ts';
import { updated, updateFiles } from '../../scenarios/rewrite.ts';

const folder = mkdtempSync(join(tmpdir(), 'slotbridge-update-'));
let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis();
});

afterAll(async () => {
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
});

const BOOK =
  'book: { as: first, service: Consultation, with: Dr. Anna Weber, at: tomorrow 10:00, customer: Vera Orlova }';
const file = (expectations: { readonly differs: string; readonly sheet: string }) => `# Ours
mapping: ${join(house, 'config/examples/clinic.yaml')}
given:   # the house
  services:
    Consultation: { minutes:   30, by: [Dr. Anna Weber] }
scenarios:
  - name: Differs   # spaces stay
    when:
      - ${BOOK}
    expect:
${expectations.differs}
  # A tab.
  - name: Sheet
    when:
      - ${BOOK}
    expect: ${expectations.sheet} # in one line
  - name: Broken off
    when:
      - ${BOOK}
      - delete-event: { event: first, in: Dr. Ben Fischer }
    expect: { events: {} } # kept
  - name: Passes
    expect: { events: {}, "appointments": [] }
`;

describe('slotbridge test --update', () => {
  it('writes into expect what happened, keeps every other byte, and the file then passes', async () => {
    const path = join(folder, 'one.yaml');
    const text = file({
      differs: `      # All of them.
      events:
        Dr. Anna Weber: # hers
          - { start: tomorrow 11:00, title: "Consultation, Vera Orlova" } # the hour
          - { start: tomorrow 12:00, title: Never }
      appointments: []
      mails: 1`,
      sheet:
        '{ rows: { Appointments: [{ Patient: Vera, Date: "{today 10:00 | dd.MM.yyyy}", From: "10:00" }] } }',
    });
    writeFileSync(path, text);
    const told = await runHere(['test', '--update', path, '--redis', redis.url]);
    const changed = file({
      differs: `      # All of them.
      events:
        Dr. Anna Weber:
          # hers
          - { start: tomorrow 10:00, title: "Consultation, Vera Orlova" } # the hour
      appointments:
        - { service: Consultation, status: confirmed, start: tomorrow 10:00, resource: Dr. Anna Weber }
      mails: 0`,
      sheet:
        '{ rows: { Appointments: [ { Patient: Vera Orlova, Date: "{tomorrow 12:00 | dd.MM.yyyy}", From: "10:00" } ] } }',
    });
    expect(readFileSync(path, 'utf8')).toBe(changed);
    expect(told.stdout.replaceAll(path, 'FILE')).toMatch(
      /3 of 4 scenarios failed\.\nUpdated {2}Differs {2}\(FILE:7\)\nUpdated {2}Sheet {2}\(FILE:\d+\)\nLeft as it is {2}Broken off {2}\(FILE:\d+\): it broke off\n$/,
    );
    expect(told.code).toBe(1);
    const again = await runHere(['test', path, '--redis', redis.url, '--json']);
    const passed = (JSON.parse(again.stdout) as { scenarios: { passed: boolean }[] }).scenarios;
    expect(passed.map((each) => each.passed)).toEqual([true, true, false, true]);
  });

  it('leaves a scenario alone whose trouble never came', async () => {
    const path = join(folder, 'spared.yaml');
    const text = `mapping: ${join(house, 'config/examples/clinic.yaml')}
scenarios:
  - name: Spared
    when:
      - lose-answers: { of: sheet-write, times: 50 }
    expect: { mails: 3 }
`;
    writeFileSync(path, text);
    const { code, stdout } = await runHere(['test', '--update', path, '--redis', redis.url]);
    expect([code, stdout]).toEqual([1, expect.stringContaining('Left as it is  Spared')]);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('refuses a file that cannot be written, before anything runs', async () => {
    const { code, stdout, stderr } = await runHere(['test', '--update', '/dev/null']);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('/dev/null');
  });
});

const difference = (edit: Difference['edit']): Difference => ({
  ...{ where: 'x', kind: 'differs', what: 'x', fields: [], edit },
});

it('a file that people changed meanwhile stays as they left it', () => {
  const path = join(folder, 'meanwhile.yaml');
  const source = 'mapping: x.yaml\nscenarios:\n  - name: One\n    expect: { mails: 1 }\n';
  writeFileSync(path, source);
  const scenario = { name: 'One', file: path, line: 3, index: 0, source } as never;
  const differences = [difference({ path: ['mails'], number: 0 })];
  const verdict = { name: 'One', file: path, line: 3, passed: false, differences, seconds: 1 };
  appendFileSync(path, '# mine\n');
  const updates = updateFiles([scenario], [verdict]);
  expect(updates.get(verdict)).toEqual({
    isWritten: false,
    why: expect.stringContaining('changed meanwhile'),
  });
  expect(readFileSync(path, 'utf8')).toBe(`${source}# mine\n`);
  writeFileSync(path, source);
  expect(updateFiles([scenario], [verdict]).get(verdict)).toEqual({ isWritten: true });
  expect(readFileSync(path, 'utf8')).toBe(source.replace('mails: 1', 'mails: 0'));
});

describe('an expectation that no machine can change is left alone:', () => {
  const head = 'mapping: x.yaml\nscenarios:\n  - name: One\n    expect: ';
  const alias = `${head}&all { mails: 1 }\n  - name: Two\n    expect: *all\n`;
  const time = `${head}{ appointments: [{ start: today 10:00 }] }\n`;
  it('an alias', () => {
    expect(updated(alias, 1, [{ path: ['mails'], number: 0 }])).toEqual({
      why: expect.stringContaining('alias'),
    });
  });

  it('a time that no scenario can say', () => {
    expect(updated(time, 0, [{ path: ['appointments', 0], set: { start: undefined } }])).toEqual({
      why: expect.stringContaining('no time of a scenario'),
    });
  });
});

it('Windows line ends stay', () => {
  const text = 'mapping: x.yaml\r\nscenarios:\r\n  - name: One\r\n    expect:\r\n      mails: 1 # one\r\n';
  expect(updated(text, 0, [{ path: ['mails'], number: 0 }])).toEqual({
    text: text.replace('mails: 1', 'mails: 0'),
  });
});
