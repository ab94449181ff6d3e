import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { house } from '../../../../test/house/tree.ts';
import { runHere } from '../../../../test/stand/command.ts';
import { startTestRedis, type TestRedis } from '../../../../test/stand/redis.ts';
import { atLength } from '../../../../test/stand/runs.ts';

const folder = mkdtempSync(join(tmpdir(), 'slotbridge-scenarios-'));
let redis: TestRedis;

beforeAll(async () => {
  redis = await startTestRedis();
});

afterAll(async () => {
  await redis.stop();
  rmSync(folder, { recursive: true, force: true });
});

const HEAD = `mapping: ${join(house, 'config/examples/clinic.yaml')}
given:
  services:
    Consultation: { minutes: 30, by: [Dr. Anna Weber] }
`;

let files = 0;

function write(text: string): string {
  files += 1;
  const path = join(folder, `${files}.yaml`);
  writeFileSync(path, text);
  return path;
}

/** Without a Redis to start: whatever ran would fail with another code. */
async function refused(text: string): Promise<string> {
  const { code, stdout, stderr } = await runHere(['test', '--redis', 'redis://127.0.0.1:1', write(text)]);
  expect([code, stdout]).toEqual([2, '']);
  return stderr.replaceAll(folder, '').replaceAll(house, '');
}

const scenario = (rest: string) => `${HEAD}scenarios:\n  - name: One\n${rest}`;
const when = (step: string) => scenario(`    when:\n      - ${step}\n    expect: { mails: 0 }\n`);
const BOOK = 'book: { as: first, service: Consultation, with: Dr. Anna Weber, at: tomorrow 10:00 }';

describe('a file that names something unknown is refused with its line, and nothing runs:', () => {
  it.each([
    [
      'a step',
      { text: when('drag-evnt: { event: x, to: tomorrow 10:00 }'), place: ':8:9 ' },
      'did you mean drag-event?',
    ],
    ['a field', { text: when('cancel: { appointmnt: x }'), place: ':8:19 ' }, 'did you mean appointment?'],
    [
      'two steps in one',
      { text: when('cancel: { appointment: x }\n        wait: 1s'), place: ':8:' },
      'is not one step',
    ],
    [
      'a service',
      { text: when(BOOK.replace('Consultation', 'Consultatio')), place: ':8:37 ' },
      'did you mean Consultation?',
    ],
    [
      'a resource',
      { text: when(BOOK.replace('Weber', 'Webber')), place: ':8:57 ' },
      'did you mean Dr. Anna Weber?',
    ],
    ['a time', { text: when(BOOK.replace('tomorrow', 'tomorow')), place: ':8:77 ' }, 'tomorrow 10:00'],
    [
      'a time in braces',
      {
        text: when('type-row: { as: r, tab: Front desk, cells: { Start: "{soon | HH:mm}" } }'),
        place: ':8:',
      },
      '{tomorrow 10:00 | dd.MM.yyyy}',
    ],
    ['an appointment', { text: when('cancel: { appointment: second }'), place: ':8:32 ' }, 'an earlier step'],
    ['a contact', { text: when('delete-contact: { contact: Nobody }'), place: ':8:36 ' }, 'given.contacts'],
    [
      'a tab',
      { text: when('type-row: { as: r, tab: Front dask, cells: { Phone: "1" } }'), place: ':8:33 ' },
      'did you mean Front desk?',
    ],
    [
      'a column',
      { text: when('type-row: { as: r, tab: Front desk, cells: { Phonee: "1" } }'), place: ':8:54 ' },
      'did you mean Phone?',
    ],
    ['a name twice', { text: when(`${BOOK}\n      - ${BOOK}`), place: ':9:21 ' }, 'choose another one'],
    [
      'a calendar',
      { text: scenario('    expect:\n      events:\n        Dr. Who: []\n'), place: ':9:9 ' },
      'names no calendar',
    ],
    [
      'a status',
      { text: scenario('    expect:\n      appointments:\n        - { status: gone }\n'), place: ':9:21 ' },
      'confirmed',
    ],
    ['nothing', { text: scenario('    expect: {}\n'), place: ':7:5 ' }, 'expects nothing'],
    ['no scenario', { text: `${HEAD}scenarios: []\n`, place: ':5:1 ' }, 'write at least one'],
    [
      'no mapping',
      { text: scenario('    expect: { mails: 0 }\n').replace('clinic.yaml', 'clinc.yaml'), place: ':1:10 ' },
      'cannot be read (ENOENT)',
    ],
  ])('%s', async (_what, { text, place }, advice) => {
    const told = await refused(text);
    expect(told).toContain(place);
    expect(told).toContain(advice);
  });

  it('every problem of a file at once', async () => {
    const told = await refused(when(`${BOOK.replace('Weber', 'Webber').replace('Consultation', 'Cure')}`));
    expect(told.match(/names no (service|resource)/g)).toEqual(['names no service', 'names no resource']);
  });

  atLength.test('a mapping that is wrong, with the line of the mapping', async () => {
    const mapping = write(
      `platform:\n  base_url: \${NOT_SET}\n  api_key: \${NOT_SET}\nmirrors:\n  a: { form: contacts }\n`,
    );
    const told = await refused(`mapping: ${mapping}\nscenarios:\n  - { name: One, expect: { mails: 0 } }\n`);
    expect(told).toContain('.yaml:5:3  mirrors.a.from');
    expect(told).not.toContain('NOT_SET');
  });

  atLength.test('a path that is not there, and a name that no scenario has', async () => {
    const path = await runHere(['test', join(folder, 'nowhere')]);
    expect([path.code, path.stderr]).toEqual([2, expect.stringContaining('there is no file or folder')]);
    const file = write(scenario('    expect: { mails: 0 }\n'));
    const name = await runHere(['test', file, '--only', 'Two']);
    expect([name.code, name.stderr]).toEqual([2, expect.stringContaining('There are: One.')]);
  });
});

describe('scenarios that fail', () => {
  const text = `${HEAD}scenarios:
  - name: Differs
    given: { appointments: [{ ${BOOK.slice('book: { '.length, -2)}, customer: Vera & Co }] }
    expect:
      events:
        Dr. Anna Weber:
          - { title: "Consultation, Vera & Co", start: tomorrow 11:00, end: tomorrow 10:30 }
      appointments: []
      mails: 1
  - name: Broken off
    when:
      - ${BOOK}
      - delete-event: { event: first, in: Dr. Ben Fischer }
    expect: { events: {} }
  - name: Passes
    expect: { events: {}, appointments: [] }
`;

  /** Without what is another one at each run. */
  const lasting = (told: string, file: string) =>
    told
      .replaceAll(file, 'FILE')
      .replace(/, \d+\.\d s\)/g, ')')
      .replace(/\d{4}-\d\d-\d\d/g, 'DAY');

  it('end with 1, say what differs in text, JSON and JUnit, and leave nothing in the Redis they were given', async () => {
    const file = write(text);
    const junit = join(folder, 'junit.xml');
    const args = ['test', file, '--redis', redis.url];
    const { code, stdout } = await runHere([...args, '--junit', junit]);
    expect(code).toBe(1);
    expect(lasting(stdout, file)).toBe(`FAILED  Differs  (FILE:6)
    calendar anna@clinic.example
      ~ differs: event 1, found as "Consultation, Vera & Co" tomorrow 10:00 (DAY)
          start  expected  tomorrow 11:00 (DAY)
                 found     tomorrow 10:00 (DAY)
    appointments
      + not expected: appointment confirmed "Consultation" tomorrow 10:00 (DAY)
    mails to customers
      ~ mails to customers
          number  expected  1
                  found     0

FAILED  Broken off  (FILE:14)
    FILE:17  first has no event in Dr. Ben Fischer

ok      Passes  (FILE:19)
2 of 3 scenarios failed.
`);
    const report = readFileSync(junit, 'utf8');
    expect(report).toContain('<testsuites name="slotbridge test" tests="3" failures="2" errors="0"');
    expect(report.match(/<testcase /g)).toHaveLength(3);
    expect(report.match(/<failure /g)).toHaveLength(2);
    expect(report).toContain('&#34;Consultation, Vera &#38; Co&#34;');

    const client = new Redis(redis.url);
    expect(await client.keys('*')).toEqual([]);
    client.disconnect();
  });

  atLength.test(
    'say what is missing of two that are alike, and which ordered trouble has not come',
    async () => {
      const file = write(`${HEAD}scenarios:
  - name: Doubled
    when:
      - ${BOOK}
    expect:
      events:
        Dr. Anna Weber:
          - { start: tomorrow 10:00 }
          - { start: tomorrow 10:00 }
  - name: Spared
    when:
      - lose-answers: { of: sheet-write, times: 50 }
    expect: { events: {} }
`);
      const { code, stdout } = await runHere(['test', file, '--redis', redis.url]);
      expect(code).toBe(1);
      expect(lasting(stdout, file)).toBe(`FAILED  Doubled  (FILE:6)
    calendar anna@clinic.example
      - missing: event 2: start tomorrow 10:00 (DAY)

FAILED  Spared  (FILE:14)
    FILE:16  not all the trouble that was ordered has come (sheet-write: 50 more to come). Order less, or do more behind it

2 of 2 scenarios failed.
`);
    },
  );

  atLength.test('are chosen by a part of their name, and told as JSON', async () => {
    const args = ['test', write(text), '--redis', redis.url, '--json', '--only', 'broken'];
    const { code, stdout } = await runHere(args);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      scenarios: [{ name: 'Broken off', line: 14, passed: false, brokenOff: { line: 17 }, differences: [] }],
    });
  });

  atLength.test('are not played while the Redis that is named does not answer', async () => {
    const { code, stdout, stderr } = await runHere(['test', write(text), '--redis', 'redis://127.0.0.1:1']);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toContain('the Redis that --redis names does not answer');
  });
});

it('a second order of lost webhooks loses all that it names', async () => {
  const file = write(`${HEAD}scenarios:
  - name: Lost twice
    when:
      - lose-webhooks: { times: 1 }
      - ${BOOK}
      - lose-webhooks: { times: 2 }
      - ${BOOK.replace('first', 'second').replace('10:00', '11:00')}
      - ${BOOK.replace('first', 'third').replace('10:00', '12:00')}
    expect:
      events:
        Dr. Anna Weber:
          - { start: tomorrow 10:00 }
          - { start: tomorrow 11:00 }
          - { start: tomorrow 12:00 }
`);
  const { code, stdout } = await runHere(['test', file, '--redis', redis.url]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('ok      Lost twice')]);
});
