import type { AppointmentTime, LocalMoment } from '../appointment-time.ts';
import { html, type Markup } from '../html.ts';

/** Times of an appointment on the clock of its branch; the script adds the browser's time in brackets if it differs. */
export function appointmentTimeMarkup({ starts, ends, zone, resources, branch }: AppointmentTime): Markup {
  const until =
    ends !== undefined && html` – ${time(ends, ends.day === starts.day ? ends.clock : textOf(ends))}`;
  const place = [...resources, branch].filter((name) => name !== '').join(', ');
  return html`${time(starts, textOf(starts))}${until} <span class="small">${zone}</span><span class="small" data-here="${iso(starts)}" data-offset="${starts.offsetMin}"></span>${
    place !== '' && html`<br><span class="small">${place}</span>`
  }`;
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
