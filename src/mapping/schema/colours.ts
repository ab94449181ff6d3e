/** Google's names for event colours, as in its own user interface, and their colorId (Calendar API, Colors). */
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

/** Maps a colorId to its name. */
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
