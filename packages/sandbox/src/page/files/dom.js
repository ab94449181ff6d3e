import { locale } from './words.js';

// The only place that creates elements. Text is always inserted as text, so that texts of strangers are never
// parsed as HTML.

/** `h('button.main', { type: 'button' }, 'Book')`. Omits attributes that are undefined or false. */
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

/** What an element shows. One that shows the same stays in the page, so that a pointer on it is not lost. */
const shownBy = new WeakMap();

export function showing(element, what) {
  element.dataset.key = what.key;
  shownBy.set(element, JSON.stringify(what));
  return element;
}

/** Replaces the children, except those in it that show the same, and restores the focus by its `data-key`. */
export function replace(parent, ...children) {
  const key = parent.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  const before = new Map($$('[data-key]', parent).map((each) => [shownBy.get(each), each]));
  before.delete(undefined);
  for (const each of children.flatMap((child) => (child instanceof Element ? $$('[data-key]', child) : []))) {
    const same = before.get(shownBy.get(each));
    if (same === undefined) continue;
    before.delete(shownBy.get(each));
    each.replaceWith(same);
  }
  parent.replaceChildren(...children);
  if (key !== undefined)
    $$('[data-key]', parent)
      .find((each) => each.dataset.key === key)
      ?.focus();
}

/**
 * `arrivals` returns the keys whose content has changed since the previous call with this name. The first call
 * of a view returns an empty set.
 */
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
  // Reading a layout property restarts the animation.
  void element.offsetWidth;
  element.classList.add('arrived');
  setTimeout(() => element.classList.remove('arrived'), FLASH_MS);
}

/**
 * Opens a dialog that closes with Escape, with its button, or after `save` or an action, unless that returns
 * false.
 */
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
  new Date(`${date}T00:00:00Z`).toLocaleDateString(locale, { timeZone: 'UTC', ...options });

export function addDays(date, days) {
  const day = new Date(`${date}T00:00:00Z`);
  day.setUTCDate(day.getUTCDate() + days);
  return day.toISOString().slice(0, 10);
}
