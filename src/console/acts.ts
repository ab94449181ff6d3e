import type { Act } from '../engine/role.ts';
import { csv } from '../operate/audit-text.ts';
import { html } from './html.ts';
import { timeMarkup } from './pages/appointment-time.ts';
import { idValue } from './pages/id-value.ts';
import type { Download, Page, Visit } from './visit.ts';

/** The audit log as a CSV file. */
export function actsFile(newest: readonly Act[]): Download {
  const rows = newest.map(({ atMs, who, role, what, why, about, chosen, done }) => [
    ...[new Date(atMs).toISOString(), who, role, what, why],
    Object.entries(about)
      .map(([name, value]) => `${name}=${value}`)
      .join('; '),
    ...[chosen, done].map((count) => (count === undefined ? '' : String(count))),
  ]);
  const text = csv(['when', 'who', 'role', 'what', 'why', 'about', 'chosen', 'done'], rows);
  return { file: 'acts.csv', type: 'text/csv; charset=utf-8', text: `${text}\r\n` };
}

/** Who did what, when and why. */
export function actsPage(newest: readonly Act[], { words, nowMs }: Visit): Page {
  const { acts, roles, codes } = words;
  const now = new Date(nowMs).toISOString();
  const rows = newest.map(
    ({
      atMs,
      who,
      role,
      what,
      why,
      about,
      chosen,
      done,
    }) => html`<tr><th scope="row">${timeMarkup(new Date(atMs).toISOString(), now)}</th><td>${who} <span class="small">${roles[role]}</span></td>
<td>${acts.names[what] ?? what}${chosen !== undefined && html`, ${acts.count(done, chosen)}`}${Object.entries(
      about,
    ).map(
      ([name, value]) =>
        html`<br><span class="small">${codes.idNames[name] ?? name}: ${idValue(name, value, words)}</span>`,
    )}</td><td>${why}</td></tr>`,
  );
  return {
    title: acts.title,
    menu: 'acts',
    body: html`<div class="row"><h1>${acts.title}</h1>${newest.length > 0 && html`<a class="button second" href="/console/acts.csv" download>${acts.download}</a>`}</div><div data-region="acts">${
      newest.length === 0
        ? html`<p class="muted">${acts.none}</p>`
        : html`<div class="scroll spaced"><table><thead><tr><th scope="col">${acts.when}</th><th scope="col">${acts.who}</th><th scope="col">${acts.what}</th><th scope="col">${acts.why}</th></tr></thead><tbody>${rows}</tbody></table></div>`
    }</div>`,
  };
}
