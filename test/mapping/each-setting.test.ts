import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { configurationSettings, type Setting } from '../../scripts/configuration-page.ts';
import { ENV } from './every-setting.ts';
import { load, MIRRORS, problemsOf } from './fixture.ts';

/** What stands below a name of the operator's choice, and what needs another setting or a variable, has tests of its own. */
const settings = configurationSettings().filter(
  ({ path, isGroup, isRequired }) =>
    !isGroup &&
    !isRequired &&
    !/<name>|\.consent\.|\.oidc\.|^console\.exposure$|\.push$|\.secrets$/.test(path),
);

describe.each(settings.map((setting) => [setting.path, setting] as const))('%s', (path, setting) => {
  test('reaches the worker', () => {
    const changed = changes(
      load(withSetting(path, undefined), ENV),
      load(withSetting(path, setting.example), ENV),
    );
    expect(changed).not.toEqual([]);
    const value = amountOf(setting);
    if (value !== undefined) expect(changed).toEqual([value]);
  });

  test.each(refusedBy(setting))('refuses %s', (value) => {
    expect(problemsOf(withSetting(path, value), ENV).map((problem) => problem.path)).toContain(path);
  });
});

const standards = settings.flatMap((each) => (each.default === undefined ? [] : [[each.path, each.default]]));

test.each(standards)('%s is %s when it is not written', (path, standard) => {
  expect(load(withSetting(`${path}`, standard), ENV)).toEqual(load(withSetting(`${path}`, undefined), ENV));
});

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** What stands in the configuration for an example that is a number or a duration. */
function amountOf({ type, example }: Setting): number | undefined {
  if (type.startsWith('whole number, ')) return Number(example);
  const [, count, unit] =
    /^(\d+)(ms|s|m|h|d)$/.exec(type.startsWith('duration, ') ? String(example) : '') ?? [];
  return unit === undefined ? undefined : Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}

/** Values just beyond the bounds that the reference names, and a word that is none of a list. */
function refusedBy({ type }: Setting): readonly unknown[] {
  const [, form, min, max] = /^(duration|whole number), (\S+) to (\S+)$/.exec(type) ?? [];
  if (form === 'whole number') return [Number(min) - 1, Number(max) + 1];
  if (form === 'duration' && min !== undefined && max !== undefined)
    return [
      ...(/^0/.test(min) ? [] : [`0${min.replace(/^\d+/, '')}`]),
      max.replace(/^\d+/, (count) => `${Number(count) + 1}`),
    ];
  return /^[\w-]+(, [\w-]+)+$/.test(type) ? ['other'] : [];
}

function withSetting(path: string, value: unknown): string {
  const base = { platform: { base_url: 'https://platform.example/v1', api_key: 'key' } };
  const steps = path.split('.');
  const last = steps.pop() ?? '';
  let at: Record<string, unknown> = base;
  for (const step of steps) {
    at[step] ??= {};
    at = at[step] as Record<string, unknown>;
  }
  if (value !== undefined) at[last] = value;
  return `${stringify(base)}${MIRRORS}`;
}

/** The values of the second that the first does not have at the same place. */
function changes(before: unknown, after: unknown): readonly unknown[] {
  if (!isGroup(before) || !isGroup(after))
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [after];
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => changes(before[name], after[name]));
}

function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
