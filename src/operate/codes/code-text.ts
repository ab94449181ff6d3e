import { caldavWords } from '../../caldav/words.ts';

/** The advice ends with a full stop; text between backticks is something to type. */
export type CodeText = readonly [title: string, message: string, advice: string];

export type CodeTexts = Readonly<Record<string, CodeText>>;

export interface ToldCode {
  readonly title: string;
  readonly message: string;
  readonly advice: string;
}

/** Always returns a text: a code that is unknown here comes from the platform (platform API, Errors; the list may grow). */
export function tellIn(known: CodeTexts, other: CodeText): (code: string) => ToldCode {
  return (code) => {
    const [title, message, advice] = (Object.hasOwn(known, code) ? known[code] : undefined) ?? other;
    return { title, message, advice };
  };
}

/** What people read about a folder that brings its own words. */
interface OwnWords {
  readonly codes: {
    en(next: SharedAdvice): CodeTexts;
    ru(next: SharedAdvice): CodeTexts;
  };
  /** Subjects of its problems, as in `google:branch`. */
  readonly targets?: Readonly<Record<'en' | 'ru', Readonly<Record<string, string>>>>;
  /** Kinds of calendars only: what their option of `slotbridge init` names. */
  readonly option?: string;
}

/** Advice that several codes share, such as "Nothing to do". */
type SharedAdvice = Readonly<
  Record<
    'nothing' | 'done' | 'wait' | 'retry' | 'defect' | 'rights' | 'author' | 'platform' | 'refused',
    string
  >
>;

/** Each folder with words of its own. A kind of calendar has the name of its section. */
export const OWN_WORDS: Readonly<Record<string, OwnWords>> = { caldav: caldavWords };

export function ownTargets(language: 'en' | 'ru'): Readonly<Record<string, string>> {
  return Object.assign({}, ...Object.values(OWN_WORDS).map(({ targets }) => targets?.[language]));
}

export function ownCodes(language: 'en' | 'ru', advice: SharedAdvice): CodeTexts {
  return Object.assign({}, ...Object.values(OWN_WORDS).map(({ codes }) => codes[language](advice)));
}
