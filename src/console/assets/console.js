// Everything that the console does in the browser: the sign-in link, times in the local zone, and pages that stay current. Every page also
// works without it.

/** How long a page hears nothing from the worker before it counts as lost; the worker gives a sign of life every four seconds. */
const SILENT_MS = 15_000;
/** How much longer a window waits for the one that holds the stream, before it takes the stream over. */
const HOLDER_MS = 5_000;
/** Most windows that share a stream; the worker takes no more. */
const WINDOWS_MAX = 12;
/** How long nobody types before the worker is asked. */
const TYPED_MS = 250;
/** How long one reading of the page may take. */
const READING_MS = 10_000;

signInByLink();
tellTimes(document);
foldMenu();
reachSearch();
searchAsTyped();
stayCurrent();

/** The code is behind the #, where no server sees it. */
function signInByLink() {
  const form = document.querySelector('form[data-sign-in]');
  const code = location.hash.slice(1);
  if (form === null || !/^[\w-]{43}$/.test(code)) return;
  history.replaceState(null, '', location.pathname);
  form.elements.code.value = code;
  form.requestSubmit();
}

/** On a narrow screen the menu opens at a touch; the stylesheet says what is narrow. */
function foldMenu() {
  const button = document.querySelector('[data-menu]');
  if (button === null) return;
  const fold = (isFolded) => {
    button.closest('header').classList.toggle('folded', isFolded);
    button.setAttribute('aria-expanded', String(!isFolded));
  };
  button.hidden = false;
  fold(true);
  button.addEventListener('click', () => fold(button.getAttribute('aria-expanded') === 'true'));
}

/** `/` and Ctrl-K lead to the search. A slash in a field is a slash. */
function reachSearch() {
  const box = document.querySelector('input[name=q]');
  if (box === null) return;
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest?.('input, textarea, select') != null;
    const isSlash = event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey;
    // By the place of the key, so that it is the same on a Russian keyboard.
    const isK = event.code === 'KeyK' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (!isSlash && !isK) return;
    event.preventDefault();
    box.focus();
    box.select();
  });
}

/**
 * Shows what is found below the box. One request at a time and none for a text that was asked for already, because each may count as a
 * search.
 */
function searchAsTyped() {
  const form = document.querySelector('form.find');
  const list = document.querySelector('[data-found]');
  if (form === null || list === null) return;
  const box = form.elements.q;
  const known = new Map();
  let isAsking = false;
  let timer;
  box.addEventListener('input', () => {
    clearTimeout(timer);
    show();
    timer = setTimeout(ask, TYPED_MS);
  });
  box.addEventListener('focus', show);
  form.addEventListener('focusout', ({ relatedTarget }) => {
    if (!form.contains(relatedTarget)) list.hidden = true;
  });
  form.addEventListener('keydown', (event) => {
    const { key } = event;
    // A second one empties the box, as in every search.
    if (key === 'Escape' && !list.hidden) {
      event.preventDefault();
      box.focus();
      list.hidden = true;
    }
    if (list.hidden || (key !== 'ArrowDown' && key !== 'ArrowUp')) return;
    const stops = [box, ...list.querySelectorAll('a')];
    const at = stops.indexOf(document.activeElement) + (key === 'ArrowDown' ? 1 : stops.length - 1);
    event.preventDefault();
    stops[at % stops.length].focus();
  });

  function typed() {
    const text = box.value.trim();
    return text.replaceAll(/[^\p{L}\p{N}]/gu, '').length < 3 ? '' : text;
  }

  function show() {
    const found = known.get(typed());
    list.hidden = found === undefined;
    if (found === undefined) return;
    const fresh = new DOMParser().parseFromString(found, 'text/html');
    tellTimes(fresh);
    list.replaceChildren(...[...fresh.body.childNodes].map((each) => document.adoptNode(each)));
  }

  async function ask() {
    const text = typed();
    if (isAsking || text === '' || known.has(text)) return;
    isAsking = true;
    try {
      const body = new URLSearchParams({ form: form.elements.form.value, q: text });
      const signal = AbortSignal.timeout(READING_MS);
      const answer = await fetch('/console/search/typed', { method: 'POST', body, signal });
      if (answer.ok || answer.status === 429) known.set(text, await answer.text());
      show();
      // Too many for now: the same text may be asked for later.
      if (answer.status === 429) known.delete(text);
    } catch {
      // The worker is away: the page says so itself, and Enter still searches.
    } finally {
      isAsking = false;
    }
    if (typed() !== text) ask();
  }
}

/**
 * Times arrive in UTC, and what is now by the worker's clock, because the browser's may be wrong. Times of appointments stay on their branch's
 * clock, with the browser's time in brackets where it differs, unless a person has chosen one zone for all.
 */
function tellTimes(root) {
  const { times, now } = document.body.dataset;
  const own = times === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone;
  const { lang } = document.documentElement;
  // The day before the month, as the worker writes times of appointments.
  const form = (options) =>
    new Intl.DateTimeFormat(lang === 'en' ? 'en-GB' : lang, { timeZone: own, ...options });
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  const date = { day: 'numeric', month: 'short' };
  const dayOf = (at) => new Intl.DateTimeFormat('en-CA', { timeZone: own }).format(at);
  const today = () => dayOf(new Date(now));
  const isToday = (at) => dayOf(at) === today();
  const year = (at) => (dayOf(at).slice(0, 4) === today().slice(0, 4) ? {} : { year: 'numeric' });
  for (const time of root.querySelectorAll('time[datetime]:not([data-there])')) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const seconds = time.dataset.exact === undefined ? {} : { second: '2-digit' };
    time.title = `${time.dateTime}`;
    time.textContent = form({
      ...(isToday(at) ? {} : { ...date, ...year(at) }),
      ...clock,
      ...seconds,
    }).format(at);
  }
  if (times === 'branch')
    for (const here of root.querySelectorAll('[data-here]')) {
      const at = new Date(here.dataset.here);
      const offset = Number(here.dataset.offset);
      if (-at.getTimezoneOffset() === offset) continue;
      const isSameDay = new Date(at.getTime() + offset * 60_000).getUTCDate() === at.getDate();
      here.textContent = ` (${form(isSameDay ? clock : { ...date, ...clock }).format(at)} ${own})`;
    }
  if (times === 'mine') {
    let before;
    for (const there of root.querySelectorAll('time[data-there]')) {
      const at = new Date(there.dateTime);
      // The end of an appointment stands beside its beginning.
      const isEnd = there.previousElementSibling === before && before !== undefined;
      const isSameDay = isEnd && dayOf(at) === dayOf(new Date(before.dateTime));
      const parts = form({ weekday: 'short', ...date, ...year(at) }).formatToParts(at);
      const day = ['weekday', 'day', 'month', 'year'].flatMap((type) =>
        parts.filter((part) => part.type === type).map(({ value }) => value),
      );
      there.textContent = `${isSameDay ? '' : `${day.join(' ')}, `}${form(clock).format(at)}`;
      before = there;
    }
    for (const zone of root.querySelectorAll('[data-there-zone]')) zone.textContent = own;
  }
  const zone = root.querySelector('[data-zone]');
  if (zone !== null) zone.textContent = own;
}

/**
 * The worker says that something has changed. The page is then read again, one reading at a time, and its regions replace those that are
 * shown. Nothing piles up: what changed meanwhile is in the next reading.
 */
function stayCurrent() {
  const { live } = document.body.dataset;
  if (live === undefined) return;
  const button = document.querySelector('[data-pause]');
  const lost = document.querySelector('[data-lost]');
  const age = document.querySelector('[data-lost-age]');
  const icon = document.querySelector('link[rel=icon]');
  let isPaused = false;
  let isReading = false;
  let isStale = false;

  let last = '';
  // The browser's clock may be set meanwhile; this one only counts.
  let heardAtMs = performance.now();
  let currentAtMs = heardAtMs;
  const stream = shareStream(() => ({ live, last }), {
    changed() {
      heard();
      refresh();
    },
    beat: heard,
    rows(data, id) {
      last = id;
      heard();
      addRows(JSON.parse(data));
    },
    ended: () => location.reload(),
    lost() {
      heardAtMs = performance.now();
      lose();
    },
    // The answer is anything but a stream. The reading finds out whether the session has ended.
    refused: () => refresh(),
  });

  follow();
  document.addEventListener('visibilitychange', follow);
  setInterval(watch, 1_000);

  /** A page nobody sees needs no stream. Changes wait at the worker. */
  function follow() {
    // A page that was lost stays grey until a reading succeeds.
    heardAtMs = performance.now();
    if (isPaused || document.hidden) stream.close();
    else stream.open();
  }

  /** Only a reading of the page proves that what it shows is current again. */
  function heard() {
    heardAtMs = performance.now();
    if (lost.hidden) currentAtMs = heardAtMs;
    else refresh();
  }

  /** A worker that hangs, or whose machine is gone, closes no connection. */
  function watch() {
    if (isPaused || document.hidden) return;
    const nowMs = performance.now();
    if (nowMs - heardAtMs > SILENT_MS + (stream.isOwn() ? 0 : HOLDER_MS)) {
      lose();
      heardAtMs = nowMs;
      stream.renew();
      refresh();
    }
    if (lost.hidden) return;
    tellAge(nowMs - currentAtMs);
    stream.tellLost();
  }

  function lose() {
    if (isPaused || !lost.hidden) return;
    lost.hidden = false;
    document.body.classList.add('stale');
    if (icon !== null) icon.href = icon.dataset.lostIcon;
    tellAge(performance.now() - currentAtMs);
  }

  function find() {
    lost.hidden = true;
    document.body.classList.remove('stale');
    currentAtMs = performance.now();
  }

  function tellAge(ms) {
    const [s, min, h] = age.dataset.units.split(' ');
    const seconds = Math.round(ms / 1_000);
    const told =
      seconds < 120
        ? `${seconds} ${s}`
        : seconds < 7_200
          ? `${Math.floor(seconds / 60)} ${min}`
          : `${Math.floor(seconds / 3_600)} ${h}`;
    age.textContent = age.dataset.lostAge.replace('#', told);
  }

  if (button !== null) {
    button.hidden = false;
    button.addEventListener('click', () => {
      isPaused = !isPaused;
      button.setAttribute('aria-pressed', String(isPaused));
      button.textContent = isPaused ? button.dataset.off : button.dataset.on;
      follow();
    });
  }

  async function refresh() {
    isStale = true;
    if (isPaused || isReading) return;
    isReading = true;
    try {
      while (isStale && !isPaused) {
        isStale = false;
        const answer = await fetch(location.href, {
          headers: { accept: 'text/html' },
          signal: AbortSignal.timeout(READING_MS),
        });
        if (answer.status === 401) return location.reload();
        // The page of an object that is gone (404) is a page too.
        const isPage = answer.ok || answer.status === 404;
        if (isPage) {
          replaceRegions(new DOMParser().parseFromString(await answer.text(), 'text/html'));
          find();
        } else lose();
        // However fast things change, people and the worker need a pause.
        await new Promise((done) => setTimeout(done, 1_000));
      }
    } catch {
      isStale = true;
      lose();
    } finally {
      isReading = false;
    }
  }
}

/**
 * Over HTTP/1.1 a browser has six connections for all its windows, so those that people see share one stream: one window holds it and passes
 * events on. A browser without locks gives each window its own. `wish`: what this window wants to hear, and the last row that it has.
 * `told`: called with the events for it.
 */
function shareStream(wish, told) {
  const { BroadcastChannel, navigator } = globalThis;
  const NAME = 'slotbridge-live';
  const me = String(Math.random());
  const channel =
    BroadcastChannel !== undefined && navigator?.locks !== undefined ? new BroadcastChannel(NAME) : undefined;
  /** The wishes of the other windows, of which only the one that holds the stream needs to know. */
  const others = new Map();
  let isWanted = false;
  let isHolder = false;
  let isLost = false;
  let asking;
  let release;
  let source;
  let connection;

  channel?.addEventListener('message', ({ data }) => {
    if (data.is === 'told' && isWanted && (data.to === undefined || data.to === me))
      told[data.name]?.(data.data, data.id);
    if (data.is === 'asked' && isWanted) post({ is: 'wants', from: me, wish: wish() });
    if (data.is === 'held' && data.to === me && !isHolder) drop();
    if (data.is === 'left') others.delete(data.from);
    if (data.is !== 'wants' || !isHolder) return;
    others.delete(data.from);
    others.set(data.from, data.wish);
    post({ is: 'held', to: data.from });
    // Windows that open together cost one connection.
    later(connect, 100);
  });

  function post(message) {
    channel?.postMessage(message);
  }

  function later(what, ms) {
    clearTimeout(connection);
    connection = setTimeout(what, ms);
  }

  /** Waits until no other window holds the stream. `steal`: takes it from one that hangs. */
  function hold(steal) {
    asking?.abort();
    asking = new AbortController();
    const { signal } = asking;
    const holding = () => {
      if (signal.aborted) return undefined;
      isHolder = true;
      others.clear();
      post({ is: 'asked' });
      if (source === undefined) connect();
      return new Promise((done) => {
        release = done;
      });
    };
    // Stolen by another window: this one waits for its turn again.
    navigator.locks.request(NAME, steal ? { steal } : { signal }, holding).catch(() => {
      if (signal.aborted || !isWanted) return;
      drop();
      hold(false);
    });
  }

  function drop() {
    isHolder = false;
    clearTimeout(connection);
    source?.close();
    source = undefined;
  }

  function connect() {
    clearTimeout(connection);
    source?.close();
    const windows = [[me, wish()], ...(isHolder ? others : [])].slice(0, WINDOWS_MAX);
    const search = windows.map(
      ([, { live, last }]) => `window=${encodeURIComponent(`${live}${last && `&after=${last}`}`)}`,
    );
    const own = new EventSource(`/console/live?${search.join('&')}`);
    source = own;
    let to = me;
    own.addEventListener('window', ({ data }) => {
      [to] = windows[Number(data)];
    });
    for (const name of ['changed', 'rows'])
      own.addEventListener(name, ({ data, lastEventId: id }) => {
        isLost = false;
        if (to === me) return told[name](data, id);
        // A connection that is made anew goes on from there.
        if (name === 'rows' && others.has(to)) others.get(to).last = id;
        post({ is: 'told', to, name, data, id });
      });
    for (const name of ['beat', 'ended'])
      own.addEventListener(name, () => {
        isLost = false;
        told[name]();
        if (!isHolder) return;
        post({ is: 'told', name });
        // The worker does not know of those beyond its bound: they read themselves again at each sign of life.
        for (const [each] of [...others].slice(WINDOWS_MAX - 1))
          post({ is: 'told', to: each, name: 'changed' });
      });
    own.addEventListener('error', () => {
      if (own !== source) return;
      const isRefused = own.readyState === EventSource.CLOSED;
      // The browser by itself would ask again for the rows of before.
      own.close();
      isLost = true;
      tellLost();
      told.lost();
      const again = () => {
        if (isRefused) told.refused();
        connect();
      };
      later(again, isRefused ? 5_000 : 2_000);
    });
  }

  function tellLost() {
    if (isHolder && isLost) post({ is: 'told', name: 'lost' });
  }

  return {
    tellLost,
    isOwn: () => source !== undefined,
    open() {
      if (isWanted) return;
      isWanted = true;
      // Its own, until another window says that it holds one for all.
      connect();
      if (channel === undefined) return;
      post({ is: 'wants', from: me, wish: wish() });
      hold(false);
    },
    close() {
      if (!isWanted) return;
      isWanted = false;
      asking?.abort();
      drop();
      release?.();
      post({ is: 'left', from: me });
    },
    renew() {
      if (!isWanted) return;
      isLost = true;
      if (source === undefined) hold(true);
      else connect();
    },
  };
}

/** Adds new rows at the top and removes the oldest. */
function addRows({ rows, now, missed }) {
  document.body.dataset.now = now;
  const list = document.querySelector('[data-rows]');
  const note = document.querySelector('[data-missed]');
  const fresh = new DOMParser().parseFromString(`<table><tbody>${rows}</tbody></table>`, 'text/html');
  tellTimes(fresh);
  const added = [...fresh.querySelectorAll('tr')];
  for (const row of added) row.classList.add('changed');
  if (added.length > 0) list.querySelector('[data-none]')?.remove();
  list.prepend(...added.map((row) => document.adoptNode(row)));
  while (list.rows.length > 200) list.rows[list.rows.length - 1].remove();
  if (missed === '') return;
  note.hidden = false;
  note.textContent = missed;
}

function replaceRegions(next) {
  document.body.dataset.now = next.body.dataset.now ?? document.body.dataset.now;
  tellTimes(next);
  if (next.title !== '') document.title = next.title;
  const icon = next.querySelector('link[rel=icon]');
  if (icon !== null) document.querySelector('link[rel=icon]').href = icon.href;
  for (const region of document.querySelectorAll('[data-region]')) {
    const fresh = next.querySelector(`[data-region="${CSS.escape(region.dataset.region)}"]`);
    if (fresh === null) continue;
    keepUnfolded(region, fresh);
    keepTicked(region, fresh);
    if (fresh.innerHTML === region.innerHTML) continue;
    // A person is typing there: the region waits for the next change.
    const active = region.contains(document.activeElement) ? document.activeElement : null;
    if (active?.matches('input:not([type=checkbox]), select, textarea')) continue;
    const focused = active === null ? undefined : pathOf(active);
    region.replaceWith(document.adoptNode(fresh));
    if (focused !== undefined) fresh.querySelector(focused)?.focus({ preventScroll: true });
  }
  document.dispatchEvent(new Event('renewed'));
}

/** Details that a person has opened stay open. */
function keepUnfolded(region, fresh) {
  const opened = [...region.querySelectorAll('details[open]')].map(({ textContent }) => textContent);
  for (const each of fresh.querySelectorAll('details'))
    if (opened.includes(each.textContent)) each.open = true;
}

/** Boxes that a person has ticked or cleared stay so. */
function keepTicked(region, fresh) {
  const boxes = [...region.querySelectorAll('[type=checkbox][id]')];
  const changed = boxes.filter(({ checked, defaultChecked }) => checked !== defaultChecked);
  for (const { id, checked } of changed) {
    const box = fresh.querySelector(`#${CSS.escape(id)}`);
    if (box !== null) box.checked = checked;
  }
}

/** A selector for an element, by its id or address, so that the keyboard focus stays where it was. Undefined without either. */
function pathOf(element) {
  if (element.id !== '') return `#${CSS.escape(element.id)}`;
  const href = element.getAttribute('href');
  return href === null ? undefined : `[href="${CSS.escape(href)}"]`;
}
