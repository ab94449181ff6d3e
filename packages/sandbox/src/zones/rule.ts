// The last rule of a zone file, in the form of POSIX TZ: `CET-1CEST,M3.5.0,M10.5.0/3` (RFC 9636, section 3.3).

export interface Change {
  readonly ms: number;
  /** From then on, in seconds east of UTC. */
  readonly offsetS: number;
}

const NAME = '(?:<[^>]+>|[A-Za-z]+)';
const TIME = '[+-]?\\d+(?::\\d+)?(?::\\d+)?';
const DAY = `[MJ]?[\\d.]+(?:/${TIME})?`;
const FORM = new RegExp(`^${NAME}(${TIME})(?:${NAME}(${TIME})?,(${DAY}),(${DAY}))?$`);
const DEFAULT_TIME_S = 2 * 3_600;

/** The offset outside daylight saving time, in seconds east of UTC. */
export function standardOffsetS(rule: string): number {
  return 0 - secondsOf(partsOf(rule)[0]);
}

/** The two changes of a year in the order of time; none without daylight saving time. */
export function changesByRule(rule: string, year: number): Change[] {
  const [standard, summer, begins, ends] = partsOf(rule);
  if (begins === undefined || ends === undefined) return [];
  const standardS = 0 - secondsOf(standard);
  const summerS = summer === undefined ? standardS + 3_600 : 0 - secondsOf(summer);
  return [
    { ms: wallMs(begins, year) - standardS * 1000, offsetS: summerS },
    { ms: wallMs(ends, year) - summerS * 1000, offsetS: standardS },
  ].sort((a, b) => a.ms - b.ms);
}

function partsOf(rule: string): [string, string | undefined, string | undefined, string | undefined] {
  const [, standard, summer, begins, ends] = FORM.exec(rule) ?? [];
  if (standard === undefined) throw new RangeError(`not a rule of a zone: ${rule}`);
  return [standard, summer, begins, ends];
}

/** `M3.5.0/2`: month, week (5 is the last), weekday, time. */
function wallMs(day: string, year: number): number {
  const [date = '', time] = day.split('/');
  const [, month, week, weekday] = /^M(\d+)\.(\d)\.(\d)$/.exec(date) ?? [];
  if (month === undefined) throw new RangeError(`not a day by month, week and weekday: ${day}`);
  const first = new Date(Date.UTC(year, Number(month) - 1, 1)).getUTCDay();
  const days = new Date(Date.UTC(year, Number(month), 0)).getUTCDate();
  let date1 = 1 + ((Number(weekday) - first + 7) % 7) + (Number(week) - 1) * 7;
  while (date1 > days) date1 -= 7;
  const timeS = time === undefined ? DEFAULT_TIME_S : secondsOf(time);
  return Date.UTC(year, Number(month) - 1, date1) + timeS * 1000;
}

function secondsOf(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.replace(/^[+-]/, '').split(':').map(Number);
  const total = hours * 3_600 + minutes * 60 + seconds;
  return time.startsWith('-') ? 0 - total : total;
}
