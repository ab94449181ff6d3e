import { foldedText } from './plain-text.ts';

/** What a cell may hold. Text is never read as a formula; null empties the cell. */
export type Cell = string | number | boolean | null;

/** A cell of a header, key or id for comparison: trimmed text, whatever type people have made of it. */
export function trimmedCell(cell: unknown): string {
  return cell === undefined || cell === null ? '' : String(cell).trim();
}

/** Longest cell that is compared with a header by its look. */
const HEADER_CHARS_MAX = 500;

/** Columns of a first row that are headed so: with exactly this text, else with one that looks the same. */
export function columnsHeaded(header: readonly string[], name: string): readonly number[] {
  const columns = (isHeader: (cell: string) => boolean) =>
    header.flatMap((cell, column) => (isHeader(cell) ? [column] : []));
  const exact = columns((cell) => cell === name.trim());
  if (exact.length > 0) return exact;
  const wanted = foldedText(name);
  return columns((cell) => cell.length <= HEADER_CHARS_MAX && foldedText(cell) === wanted);
}

/** How a cell shows its number; pattern as in Google's number formats. A checkbox is a rule of the cell, independent of its pattern. */
export interface CellFormat {
  readonly type: 'NUMBER' | 'CURRENCY' | 'DATE' | 'DATE_TIME' | 'TIME' | 'CHECKBOX';
  readonly pattern: string;
}

/** A tab, whichever mirror writes into it. */
export interface SheetSpot {
  readonly spreadsheetId: string;
  readonly tab: string;
}

/** A row waiting to be written: everything that the mirror owns in it. */
export interface OutboxRow {
  readonly spreadsheetId: string;
  readonly tab: string;
  readonly mirror: string;
  /** `formatKey` of the object. */
  readonly key: string;
  /** The text in the key column: the object's id. */
  readonly rowKey: string;
  /** Header to cell, without the key column. `undefined`: empty the owned cells of the row, including the key. */
  readonly cells: Readonly<Record<string, Cell>> | undefined;
  readonly hash: string;
  /** Header to format, for typed cells with a value: a new row gets them. */
  readonly formats?: Readonly<Record<string, CellFormat>>;
  /** Headers whose format differs from the one last given to this row: an existing row gets it, too. */
  readonly reformat?: readonly string[];
  /** True if the row was confirmed in this tab and must stay away if people have deleted it since. */
  readonly staysAway?: boolean;
  /** The object has or had a row of this mirror: without a look, nobody knows that it is gone. */
  readonly hadRow?: true;
  /** `filterMark` of the object. */
  readonly standing?: string;
  /** Header to the hash of what is written, for cells that people may change (`ShownCells`). */
  readonly shown?: Readonly<Record<string, string>>;
  /** As in `ShownCells`. */
  readonly was?: Readonly<Record<string, readonly string[]>>;
  /** As in the link. */
  readonly answered?: readonly string[];
  /** True for what is only ever written beside people's text: without their row nothing is written, not even a header. */
  readonly inPlaceOnly?: boolean;
  /** No row of the object is known here, and the mirror would not begin one now: write an existing row, add none. */
  readonly onlyIfThere?: true;
  /** The place that the row moves from, where it is or may be. Once it was seen in its new tab, the old row is emptied. */
  readonly movesFrom?: SheetSpot;
  /** The row that a move left behind: empty it, the object's row is elsewhere. `forced`: even if people wrote beside it. */
  readonly leftBehind?: { readonly forced: boolean };
  /** As in the link. */
  readonly staysUntilMs?: number;
  /** When the oldest change in it happened, epoch milliseconds; for the lag. */
  readonly occurredAtMs: number | undefined;
}

/** A row in the outbox; `version` shows whether it was replaced meanwhile. */
export interface PendingRow extends OutboxRow {
  readonly version: number;
}

/** How long a formula without a value is waited for: one that reads another spreadsheet takes a while. */
export const FORMULA_ENDS_MS = 120_000;
/** Longest text that is looked up. */
const ERROR_CHARS_MAX = 40;
/**
 * What Google shows for a formula that has no value (Sheets API, ErrorType), and how spreadsheets in other languages write it, pasted as
 * text. `#VIP` is no error.
 */
const ERRORS: ReadonlySet<string> = new Set(
  `#null! #div/0! #value! #ref! #name? #num! #n/a #n/a! #error! #spill! #calc! #getting_data #field! #blocked! #connect! #unknown! #busy!
  #nv #wert! #bezug! #zahl! #fehler! #überlauf! #kalk! #valeur! #nom? #nombre! #erreur! #propagation! #valor! #¡valor! #¡ref! #¿nombre?
  #¡num! #¡nulo! #nulo! #¡div/0! #¡error! #n/d #nd #nome? #núm! #numero! #rif! #valore! #nullo! #errore! #erro! #adr! #arg! #nazwa?
  #liczba! #zero! #dziel/0! #błąd! #н/д #ссылка! #имя? #знач! #число! #пусто! #дел/0! #ошибка! #посилання! #ім'я? #помилка!
  #verw! #waarde! #naam? #getal! #leeg! #n/b #deel/0! #fout! #viittaus! #arvo! #nimi? #luku! #tyhjä! #jako/0! #puuttuu! #virhe!
  #referens! #värdefel! #namn? #ogiltigt! #skärning! #division/0! #saknas! #fel! #i/t #verdi! #navn? #reference! #værdi! #hodnota!
  #název? #názov? #odkaz! #číslo! #nenidef #hiv! #érték! #név? #szám! #hiányzik #zérusosztó! #hiba! #yok #değer! #başv! #ad? #sayi!
  #sayı! #boş! #sayi/0! #sayı/0! #hata!`
    .split(/\s+/)
    .map(foldedText),
);
const LOADING =
  /^(?:loading(?: data)?|wird geladen|chargement(?: en cours)?|cargando|caricamento(?: in corso)?|carregando|a carregar|ładowanie|laden|загрузка|завантаження|načítání|betöltés|yükleniyor|ladataan|laddar in|laster inn|indlæser|se încarcă|读取中|読み込み中) ?\.{3}$/;

/** The error value of a formula, or a formula whose value has yet to come. It is no content of its cell. */
export function isCellError(cell: unknown): boolean {
  if (typeof cell !== 'string' || cell.length > ERROR_CHARS_MAX) return false;
  const text = foldedText(cell);
  return ERRORS.has(text) || LOADING.test(text);
}

/** Whether somebody has ticked a box or written that they mean it. `unclear`: it says something else, and its author is to be asked. */
export type Tick = 'yes' | 'no' | 'unclear';

/** What clearly means yes, in the languages that people and spreadsheets use. The `х` of Cyrillic looks like the Latin one. */
const YES: ReadonlySet<string> = new Set(
  `true yes y yep yeah yup ok okay x х χ v + 1 ✓ ✔ ☑ ✅ √ 🗸 🗹 👍 👌 ➕
  да д ага ок истина так і иә ооба ҳа ja j jo jep jawohl wahr oui vrai sí si verdadero sim verdadeiro sì vero tak prawda
  ano áno pravda igen igaz da adevărat ναι αληθές evet doğru kyllä joo tosi jah jā taip ie po waar sann sant sand はい 是 对 네 예
  نعم כן हाँ হ্যাঁ ใช่ vâng có ya iya`
    .split(/\s+/)
    .map(foldedText),
);
/** What clearly means no. */
const NO: ReadonlySet<string> = new Set(
  `false no n nope not off 0 - -- ✗ ✘ ✖ ❌ ❎ ☐ ⬜ 🚫 ⛔ 👎
  нет н не ложь ні no nein nö falsch non faux nie fałsz não falso ne nepravda nem hamis nu fals όχι hayır yanlış ei epätosi
  nē nee onwaar nej nei usann いいえ 否 不 아니요 لا לא नहीं ไม่ không tidak`
    .split(/\s+/)
    .map(foldedText),
);
/** Longest text that is looked up. */
const TICK_CHARS_MAX = 40;

export function tickIn(cell: unknown): Tick {
  if (cell === true) return 'yes';
  if (cell === false || cell === undefined || cell === null) return 'no';
  const text = String(cell);
  if (text.length > TICK_CHARS_MAX) return text.trim() === '' ? 'no' : 'unclear';
  const word = foldedText(text)
    .replaceAll(/\p{Emoji_Modifier}/gu, '')
    .replace(/(?<=[^.!,;)\s])[.!,;)\s]+$/, '');
  // `xx`, `++`: the same mark several times.
  const [mark = ''] = word;
  const isRepeated = !/^\d/.test(word) && word.split(mark).every((rest) => rest === '');
  const said = isRepeated && mark !== '' ? mark : word;
  if (word === '' || NO.has(word)) return 'no';
  if (YES.has(word) || YES.has(said)) return 'yes';
  return NO.has(said) ? 'no' : 'unclear';
}

/** A mirror's tab. */
export interface SheetPlace {
  readonly mirror: string;
  readonly spreadsheetId: string;
  readonly tab: string;
}
