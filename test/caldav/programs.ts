// Staff with two programs of Debian: vdirsyncer carries calendars to their disk and back, khal shows and changes them there.
import { execFile } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Account } from '@slotbridge/rehearsal/demo/caldav/server';
import { findFeedReaders } from '../../scripts/setup/feed-readers.mjs';

const { khal, vdirsyncer } = findFeedReaders();
export const hasPrograms = khal !== undefined && vdirsyncer !== undefined;

const run = promisify(execFile);
const env = { ...process.env, TZ: 'UTC', LC_ALL: 'C.UTF-8' };

export class Programs {
  readonly #folder = mkdtempSync(join(tmpdir(), 'slotbridge-programs-'));
  readonly #sync = join(this.#folder, 'vdirsyncer.conf');
  readonly #khal = join(this.#folder, 'khal.conf');

  /** `calendars`: names of collections in the account's home. */
  static async open(account: Account, calendars: readonly string[]): Promise<Programs> {
    const programs = new Programs();
    await programs.#configure(account, calendars);
    return programs;
  }

  async #configure({ home, user, password }: Account, calendars: readonly string[]): Promise<void> {
    const disk = join(this.#folder, 'disk');
    mkdirSync(disk);
    writeFileSync(
      this.#sync,
      `[general]
status_path = "${join(this.#folder, 'status')}"
[pair shop]
a = "server"
b = "disk"
collections = ${JSON.stringify(calendars)}
[storage server]
type = "caldav"
url = "${home}"
username = "${user}"
password = "${password}"
[storage disk]
type = "filesystem"
path = "${disk}"
fileext = ".ics"
`,
    );
    const shown = calendars.map((name) => `[[${name}]]\npath = ${join(disk, name)}\n`);
    writeFileSync(
      this.#khal,
      `[calendars]
${shown.join('')}[locale]
timeformat = %H:%M
dateformat = %Y-%m-%d
longdateformat = %Y-%m-%d
datetimeformat = %Y-%m-%d %H:%M
longdatetimeformat = %Y-%m-%d %H:%M
local_timezone = UTC
default_timezone = UTC
[sqlite]
path = ${join(this.#folder, 'khal.db')}
`,
    );
    const discovering = run('vdirsyncer', ['-c', this.#sync, 'discover'], { env });
    discovering.child.stdin?.end('y\n'.repeat(2 * calendars.length));
    await discovering;
  }

  /** Both ways. */
  async sync(): Promise<void> {
    await run('vdirsyncer', ['-c', this.#sync, 'sync'], { env });
  }

  /** `calendar: start title` of each event, as khal shows it, by the clock of UTC. */
  async shown(): Promise<readonly string[]> {
    const form = ['--day-format', '', '--format', '{calendar}: {start-long} {title}'];
    const { stdout } = await run('khal', ['-c', this.#khal, 'list', '--once', ...form, 'today', '60d'], {
      env,
    });
    return stdout
      .split('\n')
      .filter((line) => line !== '')
      .sort();
  }

  /** A new event. `start` and `end`: `2026-12-16 10:00`, by the clock of UTC. */
  async add(
    calendar: string,
    { title, start, end }: { readonly title: string; readonly start: string; readonly end: string },
  ): Promise<void> {
    await run(
      'khal',
      ['-c', this.#khal, 'new', '-a', calendar, ...start.split(' '), ...end.split(' '), title],
      { env },
    );
  }

  /** The text of the only file whose event has this in it. */
  text(calendar: string, part: string): string {
    return readFileSync(this.#file(calendar, part), 'utf8');
  }

  /** Changes the file, as an editor of the disk's calendar does. */
  rewrite(calendar: string, part: string, change: (text: string) => string): void {
    const file = this.#file(calendar, part);
    const fresh = join(this.#folder, 'fresh');
    writeFileSync(fresh, change(readFileSync(file, 'utf8')));
    // khal looks for changed files only if their folder has changed.
    renameSync(fresh, file);
  }

  remove(calendar: string, part: string): void {
    rmSync(this.#file(calendar, part));
  }

  /** Drags the event to another calendar. */
  hand(calendar: string, part: string, other: string): void {
    const file = this.#file(calendar, part);
    renameSync(file, file.replace(`/disk/${calendar}/`, `/disk/${other}/`));
  }

  #file(calendar: string, part: string): string {
    const folder = join(this.#folder, 'disk', calendar);
    const files = readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((file) => readFileSync(file, 'utf8').includes(part));
    const [file] = files;
    if (file === undefined || files.length > 1)
      throw new Error(`${files.length} events of ${calendar} have ${part} in them`);
    return file;
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
