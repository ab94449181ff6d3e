// All that the console does in the browser: the sign-in link, and times on this zone. Without it every page
// works all the same.

signInByLink();
tellTimes(document);

/** The code stands behind the #, where no server sees it. */
function signInByLink() {
  const form = document.querySelector('form[data-sign-in]');
  const code = location.hash.slice(1);
  if (form === null || !/^[\w-]{43}$/.test(code)) return;
  history.replaceState(null, '', location.pathname);
  form.elements.code.value = code;
  form.requestSubmit();
}

/** Times come in UTC. Only the zone is the browser's: its clock may be wrong. */
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
