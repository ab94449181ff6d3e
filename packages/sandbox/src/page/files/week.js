// The calendars of a week, with each event as a button at its time.
import { $, $$, addDays, arrivals, dayName, flash, h, openDialog, replace, showing } from './dom.js';
import { isDragging, makeMovable } from './dragged.js';
import { t } from './words.js';

const FIRST_HOUR = 8;
const LAST_HOUR = 19;
/** How many lines of text fit into one hour. */
const ROWS_PER_HOUR = 2.9;
const hidden = new Set();
let shownWeek = '';
/** Draws what came while an event was dragged. */
let drawLater = () => {};

export function showWeek(state, ask) {
  if (isDragging()) {
    drawLater = () => showWeek(state, ask);
    return;
  }
  drawLater = () => {};
  $('#week-name').textContent = weekName(state.week);
  $('#zones').textContent = zonesOf(state);
  showLegend(state, ask);
  const events = state.calendars.flatMap((calendar, index) =>
    calendar.events.map((event) => ({
      ...event,
      calendar,
      hue: hueOf(index),
      key: `${calendar.id} ${event.id}`,
    })),
  );
  const fresh = arrivals(
    'events',
    state.week,
    events.map((event) => [event.key, event.etag]),
  );
  const visible = events.filter((event) => !hidden.has(event.calendar.id));
  const hours = hoursOf(visible);
  const days = Array.from({ length: 7 }, (_, index) => addDays(state.week, index));
  const put = (event) => buttonOf(event, { hours, ask, isFresh: fresh.has(event.key) });
  replace(
    $('#week'),
    h(
      'div.hours',
      { 'aria-hidden': 'true' },
      h('div.day-name'),
      h('div.all-day'),
      h('div.lines', {}, ...hourMarks(hours)),
    ),
    ...days.map((day) =>
      dayColumn(day, { state, hours, events: visible.filter((event) => isOn(event, day)), put }),
    ),
  );
  for (const element of $$('#week .hours .lines, #week .day .lines')) {
    element.style.setProperty('--count', String(hours.to - hours.from));
  }
  if (shownWeek !== state.week) goToStart(state, hours, visible);
  shownWeek = state.week;
}

/** Each calendar shows the times of its own zone. */
function zonesOf({ calendars }) {
  const zones = [...new Set(calendars.map(({ zone }) => zone))];
  return zones.length === 1 ? t('All times: #', zones[0]) : '';
}

function showLegend(state, ask) {
  const isMixed = new Set(state.calendars.map(({ zone }) => zone)).size > 1;
  replace(
    $('#legend'),
    ...state.calendars.map(({ id, name, zone }, index) => {
      const toggle = () => {
        if (!hidden.delete(id)) hidden.add(id);
        showWeek(state, ask);
      };
      const chip = h(
        'button.chip',
        {
          type: 'button',
          'data-key': id,
          'aria-pressed': String(!hidden.has(id)),
          title: `${id}, ${zone}`,
          onclick: toggle,
        },
        isMixed ? `${name}, ${zone}` : name,
      );
      chip.style.setProperty('--hue', String(hueOf(index)));
      return chip;
    }),
  );
}

function dayColumn(day, { state, hours, events, put }) {
  const isToday = day === state.today;
  const timed = events.filter((event) => !event.isAllDay);
  const column = h(
    `section.day${isToday ? '.today' : ''}`,
    { 'aria-label': dayName(day, { weekday: 'long', day: 'numeric', month: 'long' }) },
    h(
      'div.day-name',
      {},
      h('span', {}, dayName(day, { weekday: 'short' })),
      ' ',
      h('b', {}, String(Number(day.slice(8)))),
    ),
    h('div.all-day', {}, ...events.filter((event) => event.isAllDay).map(put)),
    h('div.lines', {}, ...lanesOf(timed, day).map(put)),
  );
  if (isToday && state.minute >= hours.from * 60 && state.minute <= hours.to * 60) {
    const line = h('div.now', { 'aria-hidden': 'true' });
    line.style.setProperty('--at', String(state.minute / 60 - hours.from));
    $('.lines', column).append(line);
  }
  return column;
}

function buttonOf(event, { hours, ask, isFresh }) {
  const time = event.isAllDay ? t('all day') : `${event.start.slice(11)}–${event.end.slice(11)}`;
  const button = h(
    'button.event',
    {
      type: 'button',
      'aria-label': `${event.title || t('No title')}, ${time}, ${event.calendar.name}`,
      onclick: () => openEvent(event, ask),
    },
    h('span', {}, event.title || t('No title')),
  );
  button.style.setProperty('--hue', String(event.hue));
  if (!event.isAllDay) {
    button.style.setProperty('--at', String(event.fromMinute / 60 - hours.from));
    const long = Math.max(event.toMinute - event.fromMinute, 20) / 60;
    button.style.setProperty('--long', String(long));
    button.style.setProperty('--rows', String(Math.max(1, Math.floor(long * ROWS_PER_HOUR))));
    button.style.setProperty('--lane', String(event.lane));
    button.classList.toggle('narrow', event.lanes > 1);
    button.style.setProperty('--lanes', String(event.lanes));
  }
  // This page can change an instance only with its whole series.
  if (!event.isAllDay && !event.isInSeries) {
    makeMovable(button, event, {
      drop: (to) => ask({ act: 'change-event', calendar: event.calendar.id, id: event.id, ...to }),
      end: () => drawLater(),
    });
  }
  if (isFresh) flash(button);
  return showing(button, { ...event, calendar: event.calendar.id, from: hours.from });
}

/** Places overlapping events side by side: each group gets as many lanes as it needs. */
function lanesOf(events, day) {
  const placed = events
    .map((event) => ({
      ...event,
      fromMinute: minuteOf(event.start, day),
      toMinute: minuteOf(event.end, day),
    }))
    .sort((a, b) => a.fromMinute - b.fromMinute || a.toMinute - b.toMinute);
  let group = [];
  let groupEnd = -1;
  for (const event of placed) {
    if (event.fromMinute >= groupEnd) group = [];
    const ends = group.reduce(
      (lanes, { lane, toMinute }) => lanes.with(lane, Math.max(lanes[lane], toMinute)),
      Array(group.length).fill(-1),
    );
    const free = ends.findIndex((end) => end <= event.fromMinute);
    event.lane = free;
    if (free === -1) event.lane = group.length;
    group.push(event);
    groupEnd = Math.max(groupEnd, event.toMinute);
    const lanes = Math.max(...group.map(({ lane }) => lane)) + 1;
    for (const each of group) each.lanes = lanes;
  }
  return placed;
}

function minuteOf(time, day) {
  if (time.slice(0, 10) < day) return 0;
  if (time.slice(0, 10) > day) return 24 * 60;
  return Number(time.slice(11, 13)) * 60 + Number(time.slice(14, 16));
}

/** The end of an all-day event is the day after it. A timed event may end at midnight. */
function isOn(event, day) {
  const first = event.start.slice(0, 10);
  const isShort = event.isAllDay || event.end.endsWith('T00:00');
  const last = isShort ? addDays(event.end.slice(0, 10), -1) : event.end.slice(0, 10);
  return first <= day && day <= (last < first ? first : last);
}

function hoursOf(events) {
  const timed = events.filter((event) => !event.isAllDay);
  const starts = timed.map(({ start }) => Number(start.slice(11, 13)));
  const ends = timed.map(({ start, end }) =>
    end.slice(0, 10) > start.slice(0, 10) ? 24 : Number(end.slice(11, 13)) + (end.endsWith(':00') ? 0 : 1),
  );
  return { from: Math.min(FIRST_HOUR, ...starts), to: Math.max(LAST_HOUR, ...ends) };
}

function hourMarks({ from, to }) {
  return Array.from({ length: to - from }, (_, index) =>
    h('div', {}, `${String(from + index).padStart(2, '0')}:00`),
  );
}

function goToStart(state, hours, events) {
  const week = $('#week');
  const first = Math.min(
    ...events.filter((event) => !event.isAllDay).map(({ start }) => Number(start.slice(11, 13))),
    24,
  );
  const hour = first === 24 ? 9 : first;
  const lines = $('.hours .lines', week);
  week.scrollTop = Math.max(0, (hour - hours.from - 0.25) * (lines.offsetHeight / (hours.to - hours.from)));
  const today = $('.day.today', week);
  week.scrollLeft = today && state.week <= state.today ? today.offsetLeft - $('.hours', week).offsetWidth : 0;
}

function weekName(monday) {
  const sunday = addDays(monday, 6);
  const isOneMonth = monday.slice(0, 7) === sunday.slice(0, 7);
  const first = dayName(monday, { day: 'numeric', ...(isOneMonth ? {} : { month: 'short' }) });
  return `${first} – ${dayName(sunday, { day: 'numeric', month: 'short', year: 'numeric' })}`;
}

const hueOf = (index) => [255, 150, 60, 330, 205, 20, 110, 290][index % 8];

function openEvent(event, ask) {
  const dialog = $('#event');
  const at = { calendar: event.calendar.id, id: event.id };
  $('#event-heading').textContent = event.calendar.name;
  $('[data-zone]', dialog).textContent = event.calendar.zone;
  $('#event-calendar').hidden = true;
  $('#event-text').textContent = event.description;
  $('[data-do=delete]', dialog).hidden = false;
  const isTimed = !event.isAllDay && !event.isInSeries;
  openDialog(dialog, {
    fill(fields) {
      fields.title.value = event.title;
      for (const name of ['start', 'end']) {
        fields[name].disabled = !isTimed;
        fields[name].value = isTimed ? event[name] : '';
      }
    },
    async save(fields) {
      const changed = Object.fromEntries(
        ['title', 'start', 'end']
          .filter((name) => !fields[name].disabled && fields[name].value !== event[name])
          .map((name) => [name, fields[name].value]),
      );
      if (Object.keys(changed).length === 0) return true;
      return ask({ act: 'change-event', ...at, ...changed });
    },
    others: { delete: () => ask({ act: 'delete-event', ...at }) },
  });
}

export function openNewEvent(state, ask) {
  const dialog = $('#event');
  $('#event-heading').textContent = t('New event');
  $('[data-zone]', dialog).textContent = zonesOf(state);
  $('#event-calendar').hidden = false;
  $('#event-text').textContent = '';
  $('[data-do=delete]', dialog).hidden = true;
  openDialog(dialog, {
    fill(fields) {
      fields.calendar.replaceChildren(
        ...state.calendars.map(({ id, name }) => h('option', { value: id }, name)),
      );
      const day = state.today > state.week ? addDays(state.today, 1) : state.week;
      fields.start.value = `${day}T10:00`;
      fields.end.value = `${day}T11:00`;
      for (const name of ['start', 'end']) fields[name].disabled = false;
    },
    save: (fields) =>
      ask({
        act: 'add-event',
        calendar: fields.calendar.value,
        title: fields.title.value,
        start: fields.start.value,
        end: fields.end.value,
      }),
  });
}
