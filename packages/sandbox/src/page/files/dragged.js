// Moves an event to another time of the week: by dragging it, or with Alt and an arrow key.
import { $$, addDays } from './dom.js';

const STEP_MINUTES = 15;
/** A press that moves less is a click. */
const DRAG_PX_MIN = 5;
let held;

/** Whether the pointer holds an event. Drawing the week anew would take it away. */
export const isDragging = () => held !== undefined;

/** `drop` is called with the new start and end, and `end` when the pointer has let go, whatever came of it. */
export function makeMovable(button, event, { drop, end }) {
  button.classList.add('movable');
  button.setAttribute('aria-keyshortcuts', 'Alt+ArrowUp Alt+ArrowDown Alt+ArrowLeft Alt+ArrowRight');
  button.addEventListener('pointerdown', (down) => {
    if (down.button === 0 && down.isPrimary) press(button, event, { down, drop, end });
  });
  button.addEventListener('keydown', (key) => {
    const by = key.altKey ? STEPS[key.key] : undefined;
    if (by === undefined) return;
    key.preventDefault();
    drop(movedBy(event, by));
  });
}

const STEPS = {
  ArrowUp: { minutes: -STEP_MINUTES, days: 0 },
  ArrowDown: { minutes: STEP_MINUTES, days: 0 },
  ArrowLeft: { minutes: 0, days: -1 },
  ArrowRight: { minutes: 0, days: 1 },
};

function press(button, event, { down, drop, end }) {
  const lines = button.closest('.lines');
  const columns = $$('#week .day .lines');
  const hourPx = lines.offsetHeight / Number(lines.style.getPropertyValue('--count'));
  const { top } = lines.getBoundingClientRect();
  const stop = new AbortController();
  let by = { minutes: 0, days: 0 };
  let isMoving = false;
  held = button;
  button.setPointerCapture(down.pointerId);

  const move = (at) => {
    const [x, y] = [at.clientX - down.clientX, at.clientY - down.clientY];
    if (!isMoving && Math.hypot(x, y) < DRAG_PX_MIN) return;
    isMoving = true;
    button.classList.add('dragged');
    // The week may have scrolled under the pointer.
    const scrolled = top - lines.getBoundingClientRect().top;
    const steps = Math.round((((y + scrolled) / hourPx) * 60) / STEP_MINUTES);
    const over = columns.findIndex((column) => {
      const place = column.getBoundingClientRect();
      return place.left <= at.clientX && at.clientX < place.right;
    });
    const own = columns.indexOf(lines);
    by = { minutes: steps * STEP_MINUTES, days: over === -1 ? by.days : over - own };
    const toLeft =
      columns[own + by.days].getBoundingClientRect().left - columns[own].getBoundingClientRect().left;
    button.style.transform = `translate(${toLeft}px, ${(by.minutes / 60) * hourPx}px)`;
    button.dataset.to = movedBy(event, by).start.slice(11);
  };

  const release = (isDropped) => {
    stop.abort();
    held = undefined;
    if (!isMoving) {
      // The click that follows needs the button.
      setTimeout(end);
      return;
    }
    button.classList.remove('dragged');
    button.style.transform = '';
    delete button.dataset.to;
    if (isDropped) swallowClick(button);
    if (isDropped && (by.minutes !== 0 || by.days !== 0)) drop(movedBy(event, by));
    end();
  };

  const { signal } = stop;
  document.addEventListener('pointermove', move, { signal });
  document.addEventListener('pointerup', () => release(true), { signal });
  document.addEventListener('pointercancel', () => release(false), { signal });
  document.addEventListener('keydown', (key) => key.key === 'Escape' && release(false), { signal });
}

/** The browser sends a click after the drag, which would open the event. */
function swallowClick(button) {
  const stop = new AbortController();
  const options = { capture: true, signal: stop.signal };
  button.addEventListener('click', (click) => click.stopImmediatePropagation(), options);
  setTimeout(() => stop.abort());
}

function movedBy({ start, end }, { minutes, days }) {
  const shifted = (time) => {
    const day = addDays(time.slice(0, 10), days);
    const at = Date.parse(`${day}T${time.slice(11)}Z`) + minutes * 60_000;
    return new Date(at).toISOString().slice(0, 16);
  };
  return { start: shifted(start), end: shifted(end) };
}
