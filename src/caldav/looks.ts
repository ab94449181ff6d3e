/** Google's colour ids, and the names that stand for them in COLOR (RFC 7986, 5.9: names of CSS). Any other name was chosen by people. */
const NAMES: Readonly<Record<string, string>> = {
  1: 'mediumslateblue',
  2: 'mediumseagreen',
  3: 'darkorchid',
  4: 'salmon',
  5: 'gold',
  6: 'orangered',
  7: 'deepskyblue',
  8: 'dimgray',
  9: 'royalblue',
  10: 'seagreen',
  11: 'crimson',
};

export function colourName(colorId: string): string | undefined {
  return NAMES[colorId];
}

export function colourId(name: string): string | undefined {
  return Object.keys(NAMES).find((id) => NAMES[id] === name.trim().toLowerCase());
}
