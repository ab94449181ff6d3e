import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { MAIN } from '../stand/worker-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'slotbridge-machine-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** On the night of 31 March 2030, clocks in Berlin go from two o'clock to three. Tokyo and Karachi know no such night. */
const YAML = `platform: { base_url: "http://127.0.0.1:1/v1", api_key: key }
google: { calendar_root_url: "http://127.0.0.1:1/", sheets_root_url: "http://127.0.0.1:1/" }
redis: { url: "redis://127.0.0.1:1" }
mirrors:
  staff:
    from: appointments
    calendars: { map: { Anna: anna@clinic.example } }
    event:
      title: "{{ '2030-03-31T05:00:00+09:00' | date: '%H:%M' }} and {{ '2030-03-31T02:30:00+05:00' | date: '%H:%M' }}"
`;

it.each(['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'])(
  'the zone of the machine changes no text of a template: %s',
  (zone) => {
    const path = join(folder, 'slotbridge.yaml');
    writeFileSync(path, YAML);
    const args = [MAIN, 'render', 'staff', '--sample', '--json', '--config', path];
    const { stdout, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      env: { ...process.env, TZ: zone },
    });
    expect([stderr, stdout]).toEqual(['', expect.stringContaining('05:00 and 02:30')]);
  },
);
