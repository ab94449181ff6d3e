import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { configurationSettings, type Setting } from '../../scripts/configuration-page.ts';
import { SAMPLES } from '../../scripts/configuration-samples.ts';
import { configJsonSchema } from '../../src/mapping/json-schema.ts';
import { SOURCES, TARGETS } from '../../src/mapping/schema/mirror.ts';
import { ENV, everySetting } from './every-setting.ts';
import { load, PLATFORM } from './fixture.ts';
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
  const file = everySetting();

  it('load when they are put together', () => {
    const config = load(stringify(file), ENV);
    expect(config.mirrors).toHaveLength(SOURCES.length + TARGETS.length - 1);
    expect(config.bookings).toHaveLength(Object.keys(file.bookings).length);
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
    const mirror = { ...file.mirrors['appointments'], columns };
    const config = load(stringify({ ...file, mirrors: { ...file.mirrors, appointments: mirror } }), ENV);
    expect(config.mirrors.find(({ name }) => name === 'appointments')).toMatchObject({
      columns: [{ header: 'ID' }, { as: 'date', format: 'dd.mm.yyyy' }, { as: 'money', currency: 'EUR' }],
    });
  });
});

describe('the samples', () => {
  it.each(SAMPLES.map(({ what, yaml }) => [what, yaml]))('%s', (_, yaml) => {
    expect(load(`${PLATFORM}${yaml}\n`).mirrors.length).toBeGreaterThan(0);
  });

  it('have every kind of mirror that the example YAML leaves out, and both kinds of bookings', () => {
    const configs = SAMPLES.map(({ yaml }) => load(`${PLATFORM}${yaml}\n`));
    const kinds = configs.flatMap(({ mirrors }) => mirrors.map(({ from }) => from));
    expect(kinds).toEqual(expect.arrayContaining(['lead', 'conversation', 'message']));
    const bookings = configs.flatMap((config) => config.bookings.map(({ kind }) => kind));
    expect(bookings.sort()).toEqual(['calendar', 'sheet']);
  });
});

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
