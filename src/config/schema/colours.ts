/** Google's names for the colours of events, and their colorId (Calendar API, Colors; the names are those of its own screens). */
export const COLOR_IDS = {
  lavender: '1',
  sage: '2',
  grape: '3',
  flamingo: '4',
  banana: '5',
  tangerine: '6',
  peacock: '7',
  graphite: '8',
  blueberry: '9',
  basil: '10',
  tomato: '11',
} as const;

/** The other way round. */
export const COLOR_NAME_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(COLOR_IDS).map(([name, id]) => [id, name]),
);

export type ColorName = keyof typeof COLOR_IDS;

export const COLOR_NAMES = [
  'lavender',
  'sage',
  'grape',
  'flamingo',
  'banana',
  'tangerine',
  'peacock',
  'graphite',
  'blueberry',
  'basil',
  'tomato',
] as const satisfies readonly ColorName[];
