// Elements are made here and nowhere else, with their text as text: what strangers wrote is never read as HTML.

/** `h('button.main', { type: 'button' }, 'Book')`; attributes that are undefined or false are left out. */
export function h(what, attributes = {}, ...children) {
  const [name, ...classes] = what.split('.');
  const element = document.createElement(name);
  if (classes.length > 0) element.className = classes.join(' ');
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : String(value));
  }
  element.append(...children);
  return element;
}

export const $ = (selector, within = document) => within.querySelector(selector);
export const $$ = (selector, within = document) => [...within.querySelectorAll(selector)];

/** New children; whoever had the focus has it again, known by its `data-key`. */
export function replace(parent, ...children) {
  const key = parent.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  parent.replaceChildren(...children);
  if (key !== undefined)
    $$('[data-key]', parent)
      .find((each) => each.dataset.key === key)
      ?.focus();
}

/** Keys whose content is new since the former call with this name; the first call of a view finds none. */
const views = new Map();

export function arrivals(name, view, entries) {
  const now = new Map(entries);
  const before = views.get(name);
  views.set(name, { view, now });
  if (before === undefined || before.view !== view) return new Set();
  return new Set([...now].filter(([key, content]) => before.now.get(key) !== content).map(([key]) => key));
}

const FLASH_MS = 2600;

export function flash(element) {
  element.classList.remove('arrived');
  // Read, so that the animation begins again.
  void element.offsetWidth;
  element.classList.add('arrived');
  setTimeout(() => element.classList.remove('arrived'), FLASH_MS);
}

/** A dialog that ends with Escape, with its button, or with `act`; `act` keeps it open by answering false. */
export function openDialog(dialog, { fill, save, others = {} }) {
  const form = $('form', dialog);
  form.reset();
  fill(form.elements);
  form.onsubmit = async (event) => {
    event.preventDefault();
    if (await save(form.elements)) dialog.close();
  };
  for (const button of $$('[data-do]', form)) {
    const work = others[button.dataset.do];
    button.onclick = async () => {
      if (work === undefined || (await work())) dialog.close();
    };
  }
  dialog.showModal();
}

export const dayName = (date, options) =>
  new Date(`${date}T00:00:00Z`).toLocaleDateString('en-GB', { timeZone: 'UTC', ...options });

export function addDays(date, days) {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + days);
  return day.toISOString().slice(0, 10);
}
