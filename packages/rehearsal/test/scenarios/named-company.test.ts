import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startStand } from '@slotbridge/sandbox/stand';
import { afterAll, expect, it } from 'vitest';
import { house } from '../../../../test/house/tree.ts';
import { runHere } from '../../../../test/stand/command.ts';
import { readLike, writeLike } from '../../scenarios/named-company.ts';

const folder = mkdtempSync(join(tmpdir(), 'slotbridge-like-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const checks = { checkTemplate: () => undefined, compileCondition: () => ({}) } as never;

it.each(['clinic', 'coworking', 'office', 'salon', 'school', 'team', 'private-time', 'equipment', 'filters'])(
  'the company of %s.yaml stands on the page, and a copy of the YAML reaches nothing but the sandbox',
  async (name) => {
    const file = join(house, `config/examples/${name}.yaml`);
    const { text, config, company } = readLike(file, { env: {}, checks });
    const dataDir = join(folder, name);
    const ports = { platformPort: 0, googlePort: 0, pagePort: 0 };
    const stand = await startStand({ ...ports, dataDir, company });
    try {
      const { platform, google, keyFile } = stand;
      expect(platform.truth.appointments().length).toBeGreaterThan(0);
      for (const mirror of config.mirrors) {
        if (mirror.kind === 'calendar')
          for (const { calendarId } of mirror.calendars)
            expect(google.truth.calendarIds()).toContain(calendarId);
        if (mirror.kind === 'sheet') expect(google.truth.tabs(mirror.spreadsheetId)).toContain(mirror.tab);
      }
      const running = { platformUrl: platform.url, apiKey: 'sandbox-key', googleUrl: google.url, keyFile };
      const copy = await writeLike({ file, text, config, running, dataDir, workerPort: 8099 });
      const checked = await runHere(['check', '--config', copy.config, '--live']);
      expect(checked.code, checked.stdout + checked.stderr).toBe(0);
    } finally {
      await stand.close();
    }
  },
);

it('mistakes of the YAML are told with their line, and no sandbox starts', async () => {
  const file = join(folder, 'wrong.yaml');
  writeFileSync(
    file,
    'platform: { base_url: http://127.0.0.1:1/v1, api_key: k }\nmirrors:\n  a: { form: contacts }\n',
  );
  const { code, stdout, stderr } = await runHere(['sandbox', '--like', file, '--data', folder]);
  expect([code, stdout]).toEqual([78, '']);
  expect(stderr).toContain('wrong.yaml:3:3  mirrors.a.from');
});

it('the copy has no account, key, Redis, chat or sign-in of the operator', async () => {
  const file = join(folder, 'own.yaml');
  writeFileSync(
    file,
    `platform: { base_url: "https://real.example/v1", api_key: real-key, webhook: { secrets: [real-secret-0123456789] } }
google:
  credentials: real.json
  act_as: real@clinic.example
  accounts: { branch: { credentials: real-branch.json } }
redis: { url: "redis://real.example:6379", prefix: real }
alerts: { webhook: "https://chat.example/real" }
mirrors:
  contacts: # ours
    from: contacts
    sheet: { spreadsheet: book, tab: Contacts, account: branch }
    columns: { ID: "{{ id }}", account: "{{ name }}" }
`,
  );
  const { text, config, company } = readLike(file, { env: {}, checks });
  const stand = await startStand({ platformPort: 0, googlePort: 0, pagePort: 0, dataDir: folder, company });
  const running = { platformUrl: stand.platform.url, apiKey: 'sandbox-key', googleUrl: stand.google.url };
  const { keyFile } = stand;
  try {
    const about = { file, text, config, dataDir: folder, workerPort: 8099 };
    const copy = await writeLike({ ...about, running: { ...running, keyFile } });
    const written = readFileSync(copy.config, 'utf8');
    expect(written).not.toMatch(/real/);
    expect(written).toContain('# ours');
    expect(written).toContain('account: "{{ name }}"');
    const checked = await runHere(['check', '--config', copy.config, '--live']);
    expect(checked.code, checked.stdout + checked.stderr).toBe(0);
  } finally {
    await stand.close();
  }
});
