import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { configurationSettings, type Setting } from '../../scripts/configuration-page.ts';
import { configJsonSchema } from '../../src/config/json-schema.ts';
import { load } from './fixture.ts';
import { type SchemaNode, settingsOf } from './settings.ts';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const settings = configurationSettings();
const leaves = settings.filter(({ isGroup }) => !isGroup);

describe('docs/reference/configuration.md', () => {
  it('has every setting of the schema, in the table of its group', () => {
    const rows = tableRows(read('docs/reference/configuration.md'));
    const all = settingsOf(configJsonSchema() as SchemaNode).map(({ path }) =>
      path.replaceAll('.*', '.<name>'),
    );
    const groups = new Set(settings.filter(({ isGroup }) => isGroup).map(({ path }) => path));
    expect(all.length).toBeGreaterThan(150);
    expect(all.filter((path) => !groups.has(path) && !rows.has(path))).toEqual([]);
    expect([...rows].sort()).toEqual([...new Set(leaves.map(({ path }) => path))].sort());
  });

  it('says of every setting what it means, of which type it is, and an example', () => {
    const untold = leaves.filter(
      ({ meaning, type, example }) => !/^\S.{8,}\S$/.test(meaning) || type === '' || example === undefined,
    );
    expect(untold.map(nameOf)).toEqual([]);
  });

  it('says of every group what it is', () => {
    const groups = settings.filter(({ isGroup }) => isGroup);
    expect(groups.length).toBeGreaterThan(20);
    expect(groups.filter(({ meaning }) => meaning.length < 10)).toEqual([]);
  });

  it('names versions that CHANGELOG.md has', () => {
    const versions = [...read('CHANGELOG.md').matchAll(/^## (\S+)$/gm)].map(([, version]) => version);
    expect(new Set(settings.map(({ since }) => since))).toContain('0.2.0');
    expect(settings.filter(({ since }) => !versions.includes(since))).toEqual([]);
  });

  it('shows examples that say more than the default', () => {
    const ways = (type: string) => type.split(', ').length;
    const idle = leaves.filter(
      ({ example, default: standard, type }) => example === standard && ways(type) > 1,
    );
    expect(idle.map(({ path }) => path)).toEqual([]);
  });
});

describe('the examples of the reference', () => {
  const env = { PLATFORM_API_KEY: 'key', GOOGLE_APPLICATION_CREDENTIALS: '/run/google.json' };
  const sources = leaves
    .filter(({ path }) => path === 'mirrors.<name>.from')
    .map(({ example }) => String(example));
  const file = {
    ...everythingBut(['mirrors', 'bookings']),
    mirrors: {
      calendars: mirrorOf('appointments', ['calendars', 'event', 'staff_edits']),
      ...Object.fromEntries(
        sources.map((from) => [from, withTabsOf(from, mirrorOf(from, ['sheet', 'columns']))]),
      ),
    },
    bookings: {
      calendar: bookingOf(
        ({ path }) => !/from\.(spreadsheet|tab|timezone|date_format|every)$|\.columns\./.test(path),
      ),
      sheet: bookingOf(({ path }) =>
        /from\.(?!calendar$)|\.columns\.|staff_edits\.conflict|<name>\.(region|language|still_for|notify_customer)$/.test(
          path,
        ),
      ),
    },
  };

  it('load when they are put together', () => {
    expect(sources).toHaveLength(5);
    const config = load(stringify(file), env);
    expect(config.mirrors).toHaveLength(6);
    expect(config.bookings).toHaveLength(2);
    expect(config).toMatchObject({
      worker: { concurrency: 16 },
      google: { quotas: { sheetsReadsPerMinute: 300 } },
    });
  });

  it('are each in one of these places', () => {
    const text = JSON.stringify(file);
    const lost = leaves.filter(({ example }) => !text.includes(JSON.stringify(example)));
    // A way to write a column: the form is held by the next test.
    expect(lost.map(({ path }) => path).filter((path) => !path.includes('.columns.<name>.'))).toEqual([]);
  });

  it('of a typed column load as one, and its currency with money', () => {
    const { currency, ...typed } = Object.fromEntries(
      leaves
        .filter(({ path }) => path.startsWith('mirrors.<name>.columns.<name>.'))
        .map(({ path, example }) => [lastOf(path), example]),
    );
    const columns = { ID: '{{ id }}', Date: typed, Price: { value: '{{ price }}', as: 'money', currency } };
    const mirror = { ...(file.mirrors as Record<string, object>)['appointments'], columns };
    const config = load(stringify({ ...file, mirrors: { ...file.mirrors, appointments: mirror } }), env);
    expect(config.mirrors.find(({ name }) => name === 'appointments')).toMatchObject({
      columns: [{ header: 'ID' }, { as: 'date', format: 'dd.mm.yyyy' }, { as: 'money', currency: 'EUR' }],
    });
  });
});

function everythingBut(roots: readonly string[]): Record<string, unknown> {
  return tree(
    leaves.filter(({ path }) => !roots.some((root) => path.startsWith(`${root}.`))),
    '',
  );
}

function mirrorOf(from: string, groups: readonly string[]): Record<string, unknown> {
  const own = leaves.filter(({ path, only }) => {
    const [root, , group = ''] = path.split('.');
    if (root !== 'mirrors' || path.split('<name>').length > 2) return false;
    return ['from', 'where', ...groups].includes(group) && (only.length === 0 || only.includes(from));
  });
  return tree(own, 'mirrors.<name>.');
}

/** No two mirrors can write to one tab: the first one has it. */
function withTabsOf(from: string, mirror: Record<string, unknown>): Record<string, unknown> {
  if (from === 'appointments') return mirror;
  const sheet = mirror['sheet'] as { tab: string; archive: { tab: string } };
  const archive = { ...sheet.archive, tab: `${sheet.archive.tab} ${from}` };
  return { ...mirror, sheet: { ...sheet, tab: `${sheet.tab} ${from}`, archive } };
}

function bookingOf(takes: (setting: Setting) => boolean): Record<string, unknown> {
  const own = leaves.filter((setting) => setting.path.startsWith('bookings.') && takes(setting));
  return tree(own, 'bookings.<name>.');
}

/** The examples as the file would hold them; `prefix` is left out of their paths. */
function tree(own: readonly Setting[], prefix: string): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const { path, example } of own) {
    const steps = path.slice(prefix.length).split('.');
    const last = steps.pop() ?? '';
    let at = root;
    for (const step of steps) {
      at[step] ??= {};
      at = at[step] as Record<string, unknown>;
    }
    at[last] = example;
  }
  return root;
}

function tableRows(page: string): Set<string> {
  let group = '';
  const found = new Set<string>();
  for (const line of page.split('\n')) {
    group = /^## `(.+)`$/.exec(line)?.[1] ?? group;
    const key = /^\| `(\w+)` \|(?: [^|]*(?:\\\|[^|]*)*\|){5}$/.exec(line)?.[1];
    if (key !== undefined) found.add(`${group}.${key}`);
  }
  return found;
}

function nameOf({ path, only }: Setting): string {
  return only.length === 0 ? path : `${path} of ${only.join(', ')}`;
}

function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}
