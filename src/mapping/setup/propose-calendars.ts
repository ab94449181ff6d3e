// Proposes which calendar belongs to which resource, each pair with its confidence. It never picks between two equally good candidates: a
// wrong pair would show one person's customers in another person's calendar.

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** A calendar that the account can see, or an address that a person gave. Google shows the name. */
export interface SeenCalendar {
  readonly id: string;
  readonly name?: string;
  /** The account of `google.accounts` that sees it; absent: the default account. */
  readonly account?: string;
}

export interface Pair {
  readonly resource: Named;
  readonly calendar: SeenCalendar;
  /** `sure`: the calendar has all words of the name. `likely`: it has only some of them, or an initial. */
  readonly confidence: 'sure' | 'likely';
  readonly because: string;
}

export interface Proposal {
  readonly pairs: readonly Pair[];
  /** Resources for which a person has to decide, each with the reason. */
  readonly open: readonly { readonly resource: Named; readonly why: string }[];
}

interface Fit {
  readonly resource: Named;
  readonly calendar: SeenCalendar;
  readonly score: number;
  readonly because: string;
}

const SURE = 3;

export function proposeCalendars(resources: readonly Named[], calendars: readonly SeenCalendar[]): Proposal {
  const bestOf = new Map(resources.map((resource) => [resource.id, best(resource, calendars)]));
  const wanted = new Map<string, Named[]>();
  for (const fits of bestOf.values()) {
    for (const { calendar, resource } of fits)
      wanted.set(calendar.id, [...(wanted.get(calendar.id) ?? []), resource]);
  }
  const pairs: Pair[] = [];
  const open: { resource: Named; why: string }[] = [];
  for (const resource of resources) {
    const fits = bestOf.get(resource.id) ?? [];
    const [fit, ...others] = fits;
    const twins = resources.filter((each) => wordsOf(each.name).join() === wordsOf(resource.name).join());
    if (fit === undefined) open.push({ resource, why: 'no calendar fits the name' });
    else if (twins.length > 1) open.push({ resource, why: `${twins.length} resources have this name` });
    else if (others.length > 0)
      open.push({ resource, why: `${fits.map(({ calendar }) => calendar.id).join(' and ')} fit equally` });
    else if ((wanted.get(fit.calendar.id) ?? []).length > 1) {
      const rivals = (wanted.get(fit.calendar.id) ?? []).filter(({ id }) => id !== resource.id);
      open.push({
        resource,
        why: `${fit.calendar.id} fits ${rivals.map(({ name }) => name).join(' and ')} as well`,
      });
    } else {
      const { calendar, score, because } = fit;
      pairs.push({ resource, calendar, confidence: score >= SURE ? 'sure' : 'likely', because });
    }
  }
  return { pairs, open };
}

/** All calendars that share the best score. */
function best(resource: Named, calendars: readonly SeenCalendar[]): readonly Fit[] {
  const fits = calendars.flatMap((calendar) => fitOf(resource, calendar) ?? []);
  const top = Math.max(0, ...fits.map(({ score }) => score));
  return fits.filter(({ score }) => score === top);
}

function fitOf(resource: Named, calendar: SeenCalendar): Fit | undefined {
  const name = wordsOf(resource.name);
  if (name.length === 0) return undefined;
  const shown = wordsOf(calendar.name === calendar.id ? '' : (calendar.name ?? ''));
  const local = wordsOf(calendar.id.split('@')[0] ?? '');
  const as = (score: number, because: string) => ({ resource, calendar, score, because });
  if (isSame(name, shown)) return as(4, 'the calendar has this name');
  if (isWithin(name, shown)) return as(3, 'the name is in that of the calendar');
  if (isSame(name, local) || local.join('') === name.join('')) return as(3, 'the address is the name');
  if (name.length > 1 && isInitials(name, local.join('')))
    return as(2, 'the address has an initial and a name');
  if (local.length === 1 && name.includes(local[0] ?? ''))
    return as(1, 'the address is one word of the name');
  return undefined;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && isWithin(one, other);
}

function isWithin(some: readonly string[], all: readonly string[]): boolean {
  return some.every((word) => all.includes(word));
}

/** Matches `apetrova`, `petrovaa` and `annap` for Anna Petrova. */
function isInitials([first = '', ...rest]: readonly string[], local: string): boolean {
  const last = rest.at(-1) ?? '';
  const initial = (word: string) => word.slice(0, 1);
  return [initial(first) + last, last + initial(first), first + initial(last)].includes(local);
}

/** Lower case, without accents, in Latin letters: addresses have no others. */
function wordsOf(text: string): readonly string[] {
  const plain = text
    .slice(0, NAME_LENGTH_MAX)
    .toLowerCase()
    .replace(/[а-яё]/g, (letter) => LATIN[letter] ?? '');
  return plain
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

const NAME_LENGTH_MAX = 200;

const LATIN: Readonly<Record<string, string>> = Object.fromEntries([
  ...[...'абвгдеёзийклмнопрстуфыэ'].map((letter, at) => [letter, 'abvgdeeziyklmnoprstufye'[at]]),
  ...[
    ['ж', 'zh'],
    ['х', 'kh'],
    ['ц', 'ts'],
    ['ч', 'ch'],
    ['ш', 'sh'],
    ['щ', 'shch'],
    ['ю', 'yu'],
    ['я', 'ya'],
  ],
] as [string, string][]);
