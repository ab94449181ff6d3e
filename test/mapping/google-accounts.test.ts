import { describe, expect, test } from 'vitest';
import { accountsOf, accountUse, usesDefaultAccount } from '../../src/mapping/accounts.ts';
import { summarizeConfig } from '../../src/mapping/changes.ts';
import { file, load, MIRRORS, problemOf, problemsOf } from './fixture.ts';

const ACCOUNTS = `google:
  credentials: ./office.json
  accounts:
    branch: { credentials: ./branch.json }
    boss: { act_as: boss@clinic.example }
`;

const STAFF = `  staff:
    from: appointments
    calendars:
      map:
        "Anna Petrova": Anna@Clinic.example
        "Boris Ivanov": { id: boris@clinic.example, account: branch }
        "Cleo Orlova": { id: cleo@clinic.example, account: boss }
    event: { title: "{{ service_name }}" }
  visits:
    from: appointments
    sheet: { spreadsheet: branch-book, tab: Visits, account: branch, archive: { after: 30d, tab: Old, spreadsheet: branch-old } }
    columns: { ID: "{{ id }}" }
bookings:
  desk:
    from: { spreadsheet: branch-intake, tab: Intake, account: branch }
    columns: { service: Service, starts_at: Start, phone: Phone, id: Booking, status: Status }
`;

const whole = (change: (yaml: string) => string = (yaml) => yaml) =>
  change(file({ more: ACCOUNTS, mirrors: MIRRORS + STAFF }));

describe('several Google accounts', () => {
  const config = load(whole());

  test.each([
    ['calendar:anna@clinic.example', undefined],
    ['calendar:boris@clinic.example', 'branch'],
    ['calendar:BORIS@clinic.example', 'branch'],
    ['calendar:cleo@clinic.example', 'boss'],
    ['calendar:gone@clinic.example', undefined],
    ['spreadsheet:1AbC', undefined],
    ['spreadsheet:branch-book', 'branch'],
    ['spreadsheet:branch-old', 'branch'],
    ['spreadsheet:branch-intake', 'branch'],
    ['spreadsheet:BRANCH-BOOK', undefined],
  ])('%s is called by the account %s', (target, account) => {
    expect(accountsOf(config)(target)).toBe(account);
  });

  test('a further account without a key takes the default key, and never its act_as', () => {
    expect(config.google.accounts).toEqual({
      branch: { credentials: './branch.json' },
      boss: { credentials: './office.json', actAs: 'boss@clinic.example' },
    });
  });

  test('a calendar that left the file keeps its account; the file goes before what is remembered', () => {
    const remembered = new Map([
      ['gone@clinic.example', 'branch'],
      ['old@clinic.example', 'dropped'],
      ['anna@clinic.example', 'branch'],
    ]);
    const accountOf = accountsOf(config, remembered);
    expect(accountOf('calendar:gone@clinic.example')).toBe('branch');
    expect(accountOf('calendar:old@clinic.example')).toBeUndefined();
    expect(accountOf('calendar:anna@clinic.example')).toBeUndefined();
  });

  test('it is enough that one entry names the account of a spreadsheet', () => {
    const named = load(whole((yaml) => yaml.replace('spreadsheet: branch-intake', 'spreadsheet: 1AbC')));
    expect(accountsOf(named)('spreadsheet:1AbC')).toBe('branch');
  });

  test('the default account is not needed when everything names another one', () => {
    expect(usesDefaultAccount(config)).toBe(true);
    const only = load(
      file({
        more: ACCOUNTS.replace('    boss: { act_as: boss@clinic.example }\n', ''),
        mirrors: MIRRORS.replace('tab: Contacts', 'tab: Contacts, account: branch'),
      }),
    );
    expect(usesDefaultAccount(only)).toBe(false);
  });

  test('a file without accounts is what it was: nothing about accounts reaches the mapping, whose hash must not change', () => {
    const plain = load(file({ mirrors: MIRRORS }));
    expect('accounts' in plain.google).toBe(false);
    expect(JSON.stringify(plain.mirrors)).not.toContain('account');
  });
});

describe('what is wrong with accounts', () => {
  test('an unknown name is refused, with the one that was meant', () => {
    const text = whole((yaml) =>
      yaml.replace('cleo@clinic.example, account: boss', 'cleo@clinic.example, account: bos'),
    );
    expect(problemOf(text)).toMatchObject({
      path: 'mirrors.staff.calendars.map."Cleo Orlova".account',
      what: 'is not an account of google.accounts',
      fix: expect.stringContaining('did you mean boss?'),
    });
  });

  test('a name that came from a variable is not shown, nor what is near it', () => {
    const text = whole((yaml) =>
      yaml.replace('tab: Intake, account: branch', 'tab: Intake, account: "$' + '{SECRET}"'),
    );
    const { what, fix } = problemOf(text, { SECRET: 'brunch' });
    expect(`${what} ${fix}`).not.toMatch(/br[au]nch/);
  });

  test('an account that nobody uses is taken: it reaches calendars that an earlier YAML named', () => {
    const { google } = load(whole((yaml) => yaml.replace(', account: boss', '')));
    expect(google.accounts).toHaveProperty('boss');
  });

  test.each([
    ['branch: { credentials: ./branch.json }', 'branch: { credentials: office.json }', 'google.credentials'],
    [
      'boss: { act_as: boss@clinic.example }',
      'boss: { credentials: ./branch.json }',
      'google.accounts.branch',
    ],
    ['boss: { act_as: boss@clinic.example }', 'boss:', 'google.credentials'],
  ])('two accounts with one key and one user are refused: %s becomes %s', (before, after, twin) => {
    expect(problemOf(whole((yaml) => yaml.replace(before, after))).what).toContain(twin);
  });

  test('a spreadsheet has one account, in whichever entries it stands', () => {
    const text = whole((yaml) =>
      yaml
        .replace('spreadsheet: branch-intake', 'spreadsheet: 1AbC')
        .replace('tab: Contacts', 'tab: Contacts, account: boss'),
    );
    expect(problemOf(text)).toMatchObject({
      path: 'bookings.desk.from.account',
      what: expect.stringContaining('mirrors.contacts.sheet, line'),
    });
  });

  test.each([
    ['anna petrova', 'google.accounts."anna petrova"'],
    ['a~b', 'google.accounts."a~b"'],
  ])('the name "%s" is refused', (name, path) => {
    const text = whole((yaml) => yaml.replaceAll('boss', name).replace(`${name}@clinic`, 'boss@clinic'));
    expect(problemOf(text)).toMatchObject({ path });
  });

  test('bookings from a calendar have the account of its mirror, and no other', () => {
    const booked = `  walk_ins: { from: { calendar: boris@clinic.example, account: branch }, when: { title: "#book *" }, service: Cut, customer: { name: Guest } }\n`;
    const paths = problemsOf(whole() + booked).map(({ path }) => path);
    expect(paths).toContain('bookings.walk_ins.from.account');
  });

  test('no account at all is no group of accounts', () => {
    expect(problemOf(file({ more: 'google: { accounts: {} }\n' })).path).toBe('google.accounts');
  });
});

describe('an account by consent', () => {
  const KEY = Buffer.alloc(32, 7).toString('base64');
  const CONSENT = `google:
  accounts: { colleague: { consent: anna@clinic.example } }
  consent: { client: ./web.json, keys: ["${KEY}"] }
`;
  const PLATFORM_AT = `platform:
  base_url: https://api.example.com/v1
  api_key: key-1
  webhook: { public_url: "https://bridge.example.com" }
`;
  const MAPPED = `  staff:
    from: appointments
    calendars: { map: { Anna: { id: anna@clinic.example, account: colleague } } }
    event: { title: "{{ service_name }}" }
`;
  const yaml = (change: (text: string) => string = (text) => text) =>
    change(file({ platform: PLATFORM_AT, more: CONSENT, mirrors: MIRRORS + MAPPED }));

  test('has an address, and is asked for nothing but what it is used for', () => {
    const config = load(yaml());
    expect(config.google.accounts).toEqual({ colleague: { consent: 'anna@clinic.example' } });
    expect(config.google.consent).toEqual({ client: './web.json', keys: [KEY] });
    expect(accountUse(config, 'colleague')).toEqual({ calendars: true, spreadsheets: false });
  });

  test('shows no key in the summary', () => {
    const shown = JSON.stringify(summarizeConfig(load(yaml())));
    expect(shown).not.toContain(KEY);
    expect(shown).not.toContain('anna@clinic.example');
  });

  test.each<[string, (text: string) => string, string]>([
    [
      'has a key file, too',
      (t) => t.replace('{ consent:', '{ credentials: k.json, consent:'),
      'google.accounts.colleague.consent',
    ],
    [
      'acts as somebody',
      (t) => t.replace('{ consent:', '{ act_as: a@b.example, consent:'),
      'google.accounts.colleague.consent',
    ],
    [
      'no section consent',
      (t) => t.replace(/ {2}consent: \{ client.*\n/, ''),
      'google.accounts.colleague.consent',
    ],
    ['no public address', (t) => t.replace(/ {2}webhook: .*\n/, ''), 'google.accounts.colleague.consent'],
    [
      'not the address',
      (t) => t.replace('consent: anna@clinic.example', 'consent: anna'),
      'google.accounts.colleague.consent',
    ],
    ['no keys', (t) => t.replace(KEY, ''), 'google.consent.keys'],
    ['a short key', (t) => t.replace(KEY, 'c2hvcnQ='), 'google.consent.keys'],
    ['a key that is no base64', (t) => t.replace(KEY, '!'.repeat(44)), 'google.consent.keys'],
    ['no client', (t) => t.replace('client: ./web.json, ', ''), 'google.consent.client'],
  ])('is refused: %s', (_, change, path) => {
    const text = yaml(change);
    const problem = problemOf(text);
    expect(problem.path).toBe(path);
    expect(`${problem.what} ${problem.fix}`).not.toContain(KEY);
  });
});
