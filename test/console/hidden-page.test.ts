import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';

const SCRIPT = readFileSync('src/console/assets/console.js', 'utf8');

/** The script of the pages in a page of which only what it needs is there. */
function openPage(isHidden: boolean) {
  const open = new Set<string>();
  const listeners: (() => void)[] = [];
  class EventSource {
    readonly url: string;
    constructor(url: string) {
      this.url = url;
      open.add(url);
    }
    addEventListener() {}
    close() {
      open.delete(this.url);
    }
  }
  const page = {
    hidden: isHidden,
    body: { dataset: { live: 'about=all' } },
    documentElement: { lang: 'en' },
    querySelector: (selector: string) => (selector === '[data-lost]' ? { hidden: true } : null),
    querySelectorAll: () => [],
    addEventListener: (name: string, told: () => void) => name === 'visibilitychange' && listeners.push(told),
  };
  runInNewContext(SCRIPT, {
    ...{ document: page, EventSource, location: { hash: '' }, clearTimeout, setTimeout },
    ...{ performance, setInterval: () => 0, clearInterval: () => undefined },
  });
  const show = (hidden: boolean) => {
    page.hidden = hidden;
    for (const told of listeners) told();
  };
  return { open, show };
}

test('a page has a stream only while people see it: a browser has six connections for all tabs', () => {
  const { open, show } = openPage(false);
  const seen = [open.size];
  for (const isHidden of [true, false, true, true, false, false]) {
    show(isHidden);
    seen.push(open.size);
  }
  expect(seen).toEqual([1, 0, 1, 0, 0, 1, 1]);
});

test('a page that was opened in the background has no stream until it is shown', () => {
  const { open, show } = openPage(true);
  expect(open.size).toBe(0);
  show(false);
  expect(open.size).toBe(1);
});
