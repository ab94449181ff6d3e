// The platform: a booking form, the faults, and the appointments of the week.
import { $, $$, addDays, arrivals, dayName, flash, h, openDialog, replace } from './dom.js';
import { t } from './words.js';

export function showDesk({ platform, week, today, zone, calendars, books, consoleUrl }, ask) {
  const form = $('#book');
  fillChoice(form.elements.service, platform.services);
  fillChoice(form.elements.resource, [{ id: '', name: t('anybody free') }, ...platform.resources]);
  if (form.elements.start.value === '') form.elements.start.value = `${firstDay(week, today)}T10:00`;
  form.onsubmit = async (event) => {
    event.preventDefault();
    const { service, resource, start, name, phone } = form.elements;
    const what = { service: service.value, resource: resource.value, start: start.value };
    const isBooked = await ask({ act: 'book', ...what, name: name.value, phone: phone.value });
    // Suggest the next hour for the next booking.
    if (isBooked) start.value = anHourLater(start.value);
  };
  const { lose, platform: ours, google } = platform.armed;
  const armed = { lose, platform: ours, google };
  for (const button of $$('[data-trouble]')) {
    const kind = button.dataset.trouble;
    $('b', button).textContent = armed[kind] > 0 ? String(armed[kind]) : '';
    button.classList.toggle('armed', armed[kind] > 0);
    button.onclick = () => ask(kind === 'lose' ? { act: 'lose' } : { act: 'fail', side: kind });
  }
  showTroubles(platform.armed, [...calendars, ...books.map(({ id }) => ({ id, name: id }))], ask);
  for (const place of $$('#book [data-zone], #move [data-zone]')) place.textContent = zone;
  $('#console').hidden = consoleUrl === null;
  if (consoleUrl !== null) $('#console').href = consoleUrl;
  showAppointments(platform, week, ask);
  showCounts(platform.counts);
}

/** Troubles that last: for some minutes, or until somebody ends them. */
function showTroubles({ lasting, held }, places, ask) {
  const minutes = $('#minutes');
  // What lasts must be seen, and ended.
  if (Object.keys(lasting).length + held.length > 0) $('#more').open = true;
  for (const button of $$('[data-lasting]')) {
    const [act, side] = button.dataset.lasting.split(' ');
    const left = lasting[button.dataset.lasting];
    $('b', button).textContent = left === undefined ? '' : t('# min', left);
    button.classList.toggle('armed', left !== undefined);
    button.onclick = () => ask({ act, side, minutes: Number(minutes.value) });
  }
  const place = $('#place');
  fillChoice(place, places);
  const share = $('#share');
  const showShare = () => {
    const isHeld = held.includes(place.value);
    share.textContent = t(isHeld ? 'Share with the worker again' : 'Unshare with the worker');
    share.classList.toggle('armed', isHeld);
    share.onclick = () => ask({ act: isHeld ? 'share' : 'unshare', id: place.value });
  };
  place.onchange = showShare;
  showShare();
  $('#roll').onclick = () => ask({ act: 'roll-secret' });
  $('#end-troubles').onclick = () => ask({ act: 'end-troubles' });
}

function showAppointments({ appointments, left }, week, ask) {
  const fresh = arrivals(
    'appointments',
    week,
    appointments.map((one) => [one.id, JSON.stringify(one)]),
  );
  const items = appointments.map((one) => {
    const button = (name, work) =>
      h(
        'button',
        {
          type: 'button',
          'data-key': `${name} ${one.id}`,
          'aria-label': `${t(name)}: ${one.service}, ${one.customer}`,
          onclick: work,
        },
        t(name),
      );
    const buttons = one.isOpen
      ? [
          h(
            'div.buttons',
            {},
            button('Move', () => openMove(one, ask)),
            button('Cancel', () => ask({ act: 'cancel', id: one.id })),
          ),
        ]
      : [];
    const item = h(
      `li${one.status === 'cancelled' ? '.gone' : ''}`,
      {},
      h(
        'time',
        {},
        `${dayName(one.start.slice(0, 10), { weekday: 'short', day: 'numeric' })}`,
        h('b', {}, one.start.slice(11)),
      ),
      h(
        'div.what',
        {},
        h('b', {}, one.customer || t('no name')),
        h('span', {}, [one.service, one.resource].filter(Boolean).join(', ')),
        h('em', {}, t(one.status.replace('_', ' '))),
      ),
      ...buttons,
    );
    if (fresh.has(one.id)) flash(item);
    return item;
  });
  if (items.length === 0) items.push(h('li.soft', {}, t('None yet. Book one above.')));
  if (left > 0) items.push(h('li.soft', {}, t('and # more', left)));
  replace($('#appointments'), ...items);
}

function openMove(one, ask) {
  $('#move-text').textContent = `${one.service}, ${one.customer}`;
  openDialog($('#move'), {
    fill(fields) {
      fields.start.value = one.start;
    },
    save: (fields) => ask({ act: 'move', id: one.id, start: fields.start.value }),
  });
}

function showCounts({ changes, webhooks, lost, calls, googleCalls }) {
  const told = [
    ['changes', changes],
    ['webhooks', webhooks],
    ['lost', lost],
    ['platform calls', calls],
    ['Google calls', googleCalls],
  ];
  replace($('#counts'), ...told.flatMap(([name, count]) => [h('b', {}, String(count)), ` ${t(name)} `]));
}

/** Keeps the selection while the list is unchanged. */
function fillChoice(select, options) {
  const mark = JSON.stringify(options);
  if (select.dataset.mark === mark) return;
  const { value } = select;
  select.replaceChildren(...options.map(({ id, name }) => h('option', { value: id }, name)));
  if (options.some(({ id }) => id === value)) select.value = value;
  select.dataset.mark = mark;
}

const anHourLater = (time) => new Date(Date.parse(`${time}Z`) + 3_600_000).toISOString().slice(0, 16);

const firstDay = (week, today) => (today >= week ? addDays(today, 1) : week);
