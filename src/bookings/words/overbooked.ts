interface Numbers {
  readonly taken: number;
  readonly places: number;
}

/** What people read in the event of a class. */
export const OVERBOOKED_WORDS: Readonly<Record<'en' | 'ru', (numbers: Numbers) => string>> = {
  en: ({ taken, places }) => `More people are booked than there are places: ${taken} of ${places}.`,
  ru: ({ taken, places }) => `Записано больше, чем мест: ${taken} из ${places}.`,
};
