import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { configurationSettings } from '../../scripts/configuration-page.ts';
import { ConfigError } from '../../src/mapping/problem.ts';
import { rowsOf } from '../stand/runs.ts';
import { ENV, everySetting } from './every-setting.ts';
import { load } from './fixture.ts';

const known = new Set(configurationSettings().map(({ path }) => path));

/** Where the file of all examples has a setting or a group, as far as it is no name of the operator's choice. */
const places = placesIn(everySetting(), []);

/** Each setting in one place. */
const tried = [...new Map(places.map((place) => [nameOf(place), place])).values()];

test.each(rowsOf(tried, 9).map((place) => [place.join('.'), place] as const))(
  '%s: an empty variable, and one of blanks, mean what a missing setting means',
  (_, place) => {
    const missing = outcome(place, undefined);
    expect(outcome(place, '')).toEqual(missing);
    expect(outcome(place, ' ')).toEqual(missing);
  },
);

type Place = readonly string[];

function placesIn(value: unknown, path: Place): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => {
    const own = [...path, name];
    const isEntry = Array.isArray(value);
    return [...(known.has(nameOf(own)) && !isEntry ? [own] : []), ...placesIn(each, own)];
  });
}

/** As the reference names it. */
function nameOf([root = '', name, ...rest]: Place): string {
  const isNamed = ['mirrors', 'bookings', 'feeds', 'blocks'].includes(root);
  const path = name === undefined ? [root] : [root, isNamed ? '<name>' : name, ...rest];
  return path.filter((step) => !/^\d+$/.test(step)).join('.');
}

/** The configuration, or what is said of which entry. The line is that of the setting if it is there. */
function outcome(place: Place, value: string | undefined): unknown {
  const root = JSON.parse(JSON.stringify(everySetting())) as Record<string, unknown>;
  const [last = '', ...around] = [...place].reverse();
  let at = root;
  for (const step of around.reverse()) at = at[step] as Record<string, unknown>;
  if (value === undefined) delete at[last];
  else at[last] = value;
  try {
    return load(stringify(root), ENV);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems.map(({ path, what }) => `${nameOf(path.split('.').slice(0, 2))} ${what}`);
  }
}
