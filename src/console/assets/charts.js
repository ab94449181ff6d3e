// Draws the figures of the page as charts, with uPlot. The tables below them have the same figures and need no script.

/** Colours and dashes of the lines, so that they differ for everybody. The colours are the stylesheet's. */
const LINES = 8;
const DASHES = [[], [8, 4], [2, 3], [10, 3, 2, 3]];
const HEIGHT = 220;
/** Distances on an axis of counts. */
const WHOLE = [1, 10, 100, 1_000, 10_000, 100_000].flatMap((each) => [each, 2 * each, 5 * each]);
const dark = matchMedia('(prefers-color-scheme: dark)');
const plots = new Map();

drawAll();
document.addEventListener('renewed', drawAll);
dark.addEventListener('change', () => {
  for (const plot of plots.values()) plot.destroy();
  plots.clear();
  drawAll();
});

function drawAll() {
  const told = document.querySelector('[data-figures]');
  if (told === null) return;
  const figures = JSON.parse(told.dataset.figures);
  for (const place of document.querySelectorAll('[data-plot]')) {
    const name = place.dataset.plot;
    const data = [figures.at, ...figures.mirrors.map((mirror) => mirror[name])];
    const known = plots.get(name);
    const isSame = known?.series.length === data.length;
    if (isSame) known.setData(data);
    else {
      known?.destroy();
      plots.set(name, draw(place, { figures, data, unit: place.dataset.unit }));
    }
  }
}

function draw(place, { figures, data, unit }) {
  const css = getComputedStyle(document.documentElement);
  const colour = (name) => css.getPropertyValue(`--${name}`).trim();
  const { lang } = document.documentElement;
  const number = new Intl.NumberFormat(lang, { maximumFractionDigits: 1 });
  const value = (shown) => (shown == null ? '–' : `${number.format(shown)}${unit}`);
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  const date = { day: 'numeric', month: 'short' };
  const full = new Intl.DateTimeFormat(lang, { ...date, ...clock });
  const short = new Intl.DateTimeFormat(lang, figures.isLong ? date : clock);
  const axis = {
    stroke: colour('muted'),
    grid: { stroke: colour('line'), width: 1 },
    ticks: { show: false },
  };
  const plot = new uPlot(
    {
      ...{ width: place.clientWidth, height: HEIGHT },
      // A pointer on one chart shows the values of the same moment on all of them.
      cursor: { sync: { key: 'figures' }, drag: { x: false, y: false } },
      scales: { y: { range: (_, _least, most) => [0, most > 0 ? most * 1.1 : 1] } },
      axes: [
        { ...axis, values: (_, splits) => splits.map((at) => short.format(at * 1_000)) },
        { ...axis, size: 64, ...(unit === '' && { incrs: WHOLE }), values: (_, splits) => splits.map(value) },
      ],
      series: [
        { label: figures.when, value: (_, at) => (at == null ? '–' : full.format(at * 1_000)) },
        ...figures.mirrors.map(({ mirror }, nth) => ({
          ...{
            label: mirror,
            stroke: colour(`line-${(nth % LINES) + 1}`),
            width: 2,
            // A lag without neighbours is a point alone.
            points: { show: unit !== '', size: 5, fill: colour(`line-${(nth % LINES) + 1}`) },
          },
          ...{ dash: DASHES[Math.floor(nth / LINES) % DASHES.length], value: (_, shown) => value(shown) },
        })),
      ],
    },
    data,
    place,
  );
  new ResizeObserver(() => plot.setSize({ width: place.clientWidth, height: HEIGHT })).observe(place);
  return plot;
}
