import type { AppointmentTime, LocalMoment } from '../appointment-time.ts';
import { html, type Markup } from '../html.ts';
import type { Words } from '../words/en.ts';

/** Times of an appointment on the clock of its branch; the script adds the browser's time in brackets if it differs. */
export function appointmentTimeMarkup({ starts, ends, zone, resources, branch }: AppointmentTime): Markup {
  const until =
    ends !== undefined && html` – ${time(ends, ends.day === starts.day ? ends.clock : textOf(ends))}`;
  const place = [...resources, branch].filter((name) => name !== '').join(', ');
  return html`${time(starts, textOf(starts))}${until} <span class="small" data-there-zone>${zone}</span>${hereMarkup(starts)}${
    place !== '' && html`<br><span class="small">${place}</span>`
  }`;
}

/** When it begins, for a cell of a list. */
export function shortTimeMarkup({ starts }: AppointmentTime): Markup {
  return html`${time(starts, textOf(starts))}${hereMarkup(starts)}`;
}

/** For the browser's own time, if it differs. */
function hereMarkup(starts: LocalMoment): Markup {
  return html`<span class="small" data-here="${iso(starts)}" data-offset="${starts.offsetMin}"></span>`;
}

/** The script leaves it as it is. */
function time(moment: LocalMoment, text: string): Markup {
  return html`<time datetime="${iso(moment)}" data-there>${text}</time>`;
}

function textOf({ day, clock }: LocalMoment): string {
  return `${day}, ${clock}`;
}

function iso({ atMs }: LocalMoment): string {
  return new Date(atMs).toISOString();
}

/** A moment in UTC, to the minute; the script converts it to the browser's zone. */
export function timeMarkup(iso: string, nowIso: string): Markup {
  return html`<time datetime="${iso}">${spoken(iso, nowIso, 'HH:MM'.length)}</time>`;
}

/** The same to the second, where many things happen within a minute. */
export function exactTimeMarkup(iso: string, nowIso: string): Markup {
  return html`<time datetime="${iso}" data-exact>${spoken(iso, nowIso, 'HH:MM:SS'.length)}</time>`;
}

/** For a browser without the script. */
function spoken(iso: string, nowIso: string, chars: number): string {
  const [date = '', time = ''] = iso.split('T');
  const clock = `${time.slice(0, chars)} UTC`;
  return nowIso.startsWith(date) ? clock : `${date} ${clock}`;
}

/** How long ago, by the server's clock, because a browser's may be wrong. */
export function ago(iso: string, nowIso: string, words: Words): string {
  return words.ago(secondsBetween(iso, nowIso));
}

export function secondsBetween(iso: string, nowIso: string): number {
  return Math.max(0, (Date.parse(nowIso) - Date.parse(iso)) / 1000);
}
