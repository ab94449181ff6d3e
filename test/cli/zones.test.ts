import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { zoneNotices } from '../../src/engine/zone-news.ts';
import { ZONES_VERSION } from '../../src/engine/zone-rules.ts';
import { readVersion } from '../../src/program.ts';
import { runHere } from '../stand/command.ts';

const folder = mkdtempSync(join(tmpdir(), 'slotbridge-zones-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const mapping = (zone: string) => {
  const path = join(folder, 'slotbridge.yaml');
  writeFileSync(
    path,
    `platform: { base_url: https://platform.example/v1, api_key: key }
google: { credentials: key.json }
mirrors:
  contacts:
    from: contacts
    sheet: { spreadsheet: office, tab: Contacts, timezone: ${zone} }
    columns: { ID: "{{ id }}" }
`,
    { mode: 0o600 },
  );
  return path;
};

it('the version names that of the rules of time zones', async () => {
  const { code, stdout } = await runHere(['--version']);
  expect([code, stdout]).toEqual([0, `${readVersion()}\ntime zones ${ZONES_VERSION}\n`]);
});

it('check tells of a zone whose rules Node has otherwise, as far as this Node has', async () => {
  const zone = 'America/Havana';
  const expected = zoneNotices([zone], { nowMs: Date.now() });
  const { code, stdout } = await runHere(['check', '--config', mapping(zone), '--json']);
  expect([code, JSON.parse(stdout).warnings ?? []]).toEqual([0, expected]);
});

it('check names a zone that is close to a wrong one, and the release in which it looked', async () => {
  const { code, stderr } = await runHere(['check', '--config', mapping('Europe/Berln')]);
  expect(code).toBe(78);
  expect(stderr).toContain('did you mean Europe/Berlin?');
  expect(stderr).toContain(ZONES_VERSION);
});
