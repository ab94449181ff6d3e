// One tab as a grid. Arrow keys move, Enter or typing edits, Escape cancels. Cells are updated in place, so that the
// user's selection and input survive while the worker writes.
import { $, arrivals, flash, h, openDialog, replace } from './dom.js';
import { t } from './words.js';

const ROWS_MIN = 8;
const COLUMNS_MIN = 8;
const BLANK_ROWS = 3;
const grid = { view: '', table: undefined, rows: [], cells: [], at: [0, 0] };

export function showTabs(state, choose) {
  const tabs = state.books.flatMap((book) => book.tabs.map((tab) => ({ ...tab, book: book.id })));
  const fresh = arrivals(
    'tabs',
    'tabs',
    tabs.map(({ book, title, mark }) => [`${book} ${title}`, mark]),
  );
  const buttons = tabs.map(({ book, title, rows }) => {
    const isShown = state.sheet?.book === book && state.sheet.tab === title;
    const label = state.books.length > 1 ? `${book}: ${title}` : title;
    const button = h(
      'button.tab',
      {
        type: 'button',
        'data-key': `${book} ${title}`,
        'aria-pressed': String(isShown),
        onclick: () => choose(book, title),
      },
      label,
      h('small', {}, ` ${Math.max(0, rows - 1)}`),
    );
    if (!isShown && fresh.has(`${book} ${title}`)) flash(button);
    return button;
  });
  replace($('#tabs'), ...buttons);
}

export function showSheet({ sheet }, ask) {
  const place = $('#sheet');
  $('#rename-tab').hidden = sheet === null;
  $('#rename-tab').onclick = () => openRename(sheet, ask);
  if (sheet === null) {
    place.replaceChildren(h('p.soft.empty', {}, t('There is no spreadsheet.')));
    grid.view = '';
    return;
  }
  const view = `${sheet.book} ${sheet.tab}`;
  const rows = Math.max(sheet.rows.length + BLANK_ROWS, ROWS_MIN);
  const columns = Math.max(...sheet.rows.map((row) => row.length + 1), COLUMNS_MIN);
  if (grid.view !== view) build(place, sheet.tab);
  grow(rows, columns);
  grid.view = view;
  grid.rows = sheet.rows;
  grid.type = ([row, column], was, value) =>
    ask({ act: 'type', book: sheet.book, tab: sheet.tab, row: row + 1, column: column + 1, was, value });
  const texts = grid.cells.flatMap((cells, row) =>
    cells.map((_, column) => [`${row} ${column}`, textAt(row, column)]),
  );
  const fresh = arrivals('cells', view, texts);
  grid.more.textContent = sheet.left > 0 ? t('and # more rows', sheet.left) : '';
  for (const [key, text] of texts) {
    const [row, column] = key.split(' ').map(Number);
    const cell = grid.cells[row][column];
    if ($('input', cell) === null && cell.textContent !== text) cell.textContent = text;
    // A blank cell that the grid has just gained flashes, too: it has no former text.
    if (fresh.has(key)) flash(cell);
  }
}

function openRename({ book, tab }, ask) {
  openDialog($('#rename'), {
    fill(fields) {
      fields.to.value = tab;
    },
    save: (fields) => ask({ act: 'rename-tab', book, tab, to: fields.to.value }),
  });
}

function build(place, tab) {
  grid.cells = [];
  grid.at = [0, 0];
  grid.head = h('tr', {}, h('td.corner'));
  grid.body = h('tbody');
  grid.more = h('p.soft.empty');
  grid.table = h(
    'table',
    { role: 'grid', 'aria-label': t('Tab #', tab), onkeydown: onKey, ondblclick: onOpen, onclick: onChoose },
    h('thead', {}, grid.head),
    grid.body,
  );
  place.replaceChildren(grid.table, grid.more);
}

/** Cells are added but never removed while a tab is shown, because the user may be typing into one. */
function grow(rows, columns) {
  for (let column = grid.head.children.length - 1; column < columns; column += 1)
    grid.head.append(h('th', { scope: 'col' }, letterOf(column)));
  while (grid.cells.length < rows) {
    grid.cells.push([]);
    grid.body.append(h('tr', {}, h('th', { scope: 'row' }, String(grid.cells.length))));
  }
  const width = grid.head.children.length - 1;
  for (const [row, cells] of grid.cells.entries()) {
    const line = grid.body.children[row];
    while (cells.length < width) {
      const cell = h('td', { role: 'gridcell', tabindex: '-1', 'data-at': `${row} ${cells.length}` });
      cells.push(cell);
      line.append(cell);
    }
  }
  cellAt(grid.at).setAttribute('tabindex', '0');
}

const textAt = (row, column) => grid.rows[row]?.[column] ?? '';

function choose([row, column], isFocused) {
  const at = [clamp(row, grid.cells.length), clamp(column, grid.cells[0].length)];
  cellAt(grid.at)?.setAttribute('tabindex', '-1');
  grid.at = at;
  cellAt(at).setAttribute('tabindex', '0');
  if (isFocused) cellAt(at).focus();
}

const cellAt = ([row, column]) => grid.cells[row]?.[column];
const clamp = (value, count) => Math.min(Math.max(value, 0), count - 1);

const STEPS = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  Home: [0, -999],
  End: [0, 999],
};

function onKey(event) {
  const cell = event.target.closest('td[data-at]');
  if (cell === null || event.target !== cell) return;
  const step = STEPS[event.key];
  const isTyped = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
  if (step !== undefined) choose([grid.at[0] + step[0], grid.at[1] + step[1]], true);
  else if (event.key === 'Enter' || event.key === 'F2') edit(cell);
  else if (event.key === 'Delete' || event.key === 'Backspace') write(grid.at, cell.textContent, '');
  else if (isTyped) edit(cell, event.key);
  else return;
  event.preventDefault();
}

function onChoose(event) {
  const cell = event.target.closest('td[data-at]');
  if (cell === null || event.target !== cell) return;
  const isAgain = cellAt(grid.at) === cell && cell.dataset.chosen === 'yes';
  for (const other of grid.table.querySelectorAll('[data-chosen]')) delete other.dataset.chosen;
  cell.dataset.chosen = 'yes';
  choose(cell.dataset.at.split(' ').map(Number), true);
  // A second tap edits, because phones have neither Enter nor a double click.
  if (isAgain) edit(cell);
}

function onOpen(event) {
  const cell = event.target.closest('td[data-at]');
  if (cell !== null && event.target === cell) edit(cell);
}

function edit(cell, typed) {
  if ($('input', cell) !== null) return;
  const was = cell.textContent;
  const [row, column] = cell.dataset.at.split(' ').map(Number);
  const input = h('input', { 'aria-label': t('Cell #', `${letterOf(column)}${row + 1}`), maxlength: '2000' });
  input.value = typed ?? was;
  let isDone = false;
  const end = (isKept, step) => {
    if (isDone) return;
    isDone = true;
    const { value } = input;
    cell.textContent = textAt(row, column);
    if (step !== undefined) choose([row + step[0], column + step[1]], true);
    if (isKept) write([row, column], was, value);
  };
  input.addEventListener('blur', () => end(true));
  input.addEventListener('keydown', (event) => {
    const step = { Enter: [1, 0], Tab: [0, event.shiftKey ? -1 : 1], Escape: [0, 0] }[event.key];
    event.stopPropagation();
    if (step === undefined) return;
    event.preventDefault();
    end(event.key !== 'Escape', step);
  });
  cell.replaceChildren(input);
  input.focus();
  if (typed === undefined) input.select();
}

/** `was`: the text that the user saw when typing began. If the cell differs by now, nothing is written. */
function write(at, was, value) {
  if (value !== was) grid.type(at, was, value);
}

function letterOf(index) {
  const rest = Math.floor(index / 26);
  return (rest > 0 ? letterOf(rest - 1) : '') + String.fromCharCode(65 + (index % 26));
}
