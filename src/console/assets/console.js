// Everything that the console does in the browser: the sign-in link, times in the local zone, and pages that stay current. Every page also
// works without it.

signInByLink();
tellTimes(document);
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

/** Times arrive in UTC. Only the zone is the browser's, because its clock may be wrong. */
function tellTimes(root) {
  const date = { day: 'numeric', month: 'short' };
  const clock = { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' };
  for (const time of root.querySelectorAll('time[datetime]')) {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    const isShort = !time.textContent.includes('-');
    const form = new Intl.DateTimeFormat(
      document.documentElement.lang,
      isShort ? clock : { ...date, ...clock },
    );
    time.title = `${time.dateTime}`;
    time.textContent = form.format(at);
  }
  const zone = root.querySelector('[data-zone]');
  if (zone !== null) zone.textContent = Intl.DateTimeFormat().resolvedOptions().timeZone;
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
  let isPaused = false;
  let isReading = false;
  let isStale = false;

  let source;
  let last = '';
  let reconnection;

  connect();

  function connect() {
    source = new EventSource(`/console/live?${live}${last && `&after=${last}`}`);
    source.addEventListener('changed', refresh);
    source.addEventListener('rows', (event) => {
      last = event.lastEventId;
      lost.hidden = true;
      addRows(JSON.parse(event.data));
    });
    source.addEventListener('ended', () => location.reload());
    source.addEventListener('error', () => {
      lost.hidden = false;
      // If the answer is anything but a stream, a browser gives up for good. The reading finds out whether the session has ended.
      if (source.readyState !== EventSource.CLOSED) return;
      reconnection = setTimeout(() => {
        refresh();
        connect();
      }, 5_000);
    });
  }

  if (button !== null) {
    button.hidden = false;
    button.addEventListener('click', () => {
      isPaused = !isPaused;
      button.setAttribute('aria-pressed', String(isPaused));
      button.textContent = isPaused ? button.dataset.off : button.dataset.on;
      // Changes wait at the worker, which sends them when this page reconnects.
      source.close();
      clearTimeout(reconnection);
      lost.hidden = true;
      if (!isPaused) connect();
    });
  }

  async function refresh() {
    isStale = true;
    if (isPaused || isReading) return;
    isReading = true;
    try {
      while (isStale && !isPaused) {
        isStale = false;
        const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
        if (answer.status === 401) return location.reload();
        // The page of an object that is gone (404) is a page too.
        const isPage = answer.ok || answer.status === 404;
        if (isPage) replaceRegions(new DOMParser().parseFromString(await answer.text(), 'text/html'));
        lost.hidden = isPage;
        // However fast things change, people and the worker need a pause.
        await new Promise((done) => setTimeout(done, 1_000));
      }
    } catch {
      isStale = true;
    } finally {
      isReading = false;
    }
  }
}

/** Adds new rows at the top and removes the oldest. */
function addRows({ rows, missed }) {
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
  tellTimes(next);
  if (next.title !== '') document.title = next.title;
  for (const region of document.querySelectorAll('[data-region]')) {
    const fresh = next.querySelector(`[data-region="${CSS.escape(region.dataset.region)}"]`);
    if (fresh === null || fresh.innerHTML === region.innerHTML) continue;
    // A person is typing there: the region waits for the next change.
    const active = region.contains(document.activeElement) ? document.activeElement : null;
    if (active?.matches('input, select, textarea')) continue;
    const focused = active === null ? undefined : pathOf(active);
    region.replaceWith(document.adoptNode(fresh));
    if (focused !== undefined) fresh.querySelector(focused)?.focus({ preventScroll: true });
  }
}

/** A selector for an element, by its id or address, so that the keyboard focus stays where it was. Undefined without either. */
function pathOf(element) {
  if (element.id !== '') return `#${CSS.escape(element.id)}`;
  const href = element.getAttribute('href');
  return href === null ? undefined : `[href="${CSS.escape(href)}"]`;
}
