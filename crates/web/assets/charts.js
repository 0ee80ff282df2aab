// Charts, drawn from the table that stands beside each of them.
'use strict';
(() => {
  const SPECS = {
    belief: { time: true, range: [0, 100], unit: '%' },
    activity: { bars: true },
    outcomes: { bars: true },
    types: { bars: true },
    causes: { bars: true, columns: 1, unit: 'min' },
    verdicts: { bars: true, columns: 1 },
  };
  const TONES = ['--accent', '--warn', '--dim'];

  function read(table) {
    const names = [...table.tHead.rows[0].cells].map((cell) => cell.textContent.trim());
    const rows = [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
    return { names, rows };
  }

  function draw(box) {
    const table = document.getElementById(box.dataset.from);
    if (!table || box.firstChild) return;
    const spec = SPECS[box.dataset.chart] ?? {};
    const { names, rows } = read(table);
    const style = getComputedStyle(document.documentElement);
    const tone = (name) => style.getPropertyValue(name).trim();
    const axis = { stroke: tone('--dim'), grid: { stroke: tone('--line'), width: 1 }, ticks: { stroke: tone('--line') }, font: '11px system-ui' };
    const columns = spec.time ? 3 : (spec.columns ?? Math.min(names.length - 1, 3));
    const number = (text) => (text === '' || text === undefined ? null : Number(text));
    const width = box.clientWidth || 480;
    const x = spec.time ? places(rows) : rows.map((_, at) => at);
    const data = [x];
    for (let column = 1; column <= columns; column += 1) data.push(rows.map((row) => number(row[column])));
    const options = {
      width,
      height: 180,
      cursor: { points: { size: 6 } },
      scales: { x: { time: false }, y: spec.range ? { range: spec.range } : { range: (_, __, high) => [0, Math.max(high, 1) * 1.1] } },
      axes: [
        { ...axis, ...(spec.time ? {} : namesAxis(rows, x, width)) },
        { ...axis, size: 44, incrs: [1, 2, 5, 10, 20, 25, 50, 100, 200, 500, 1000, 2000, 5000, 10000] },
      ],
      series: [{ label: names[0], value: (_, __, ___, at) => (at === null || at === undefined ? '' : rows[at][0]) }],
    };
    const told = (column) => (_, __, ___, at) => (at === null || at === undefined ? '' : `${rows[at][column]}${spec.unit ? ` ${spec.unit}` : ''}`);
    if (spec.time) {
      const [low, high] = daysOf(x);
      const ticks = ticksOf(low, high, width);
      options.scales.x.range = () => [low, high];
      // Half of a date stands on either side of its tick.
      options.padding = [8, 40, 0, 8];
      Object.assign(options.axes[0], { splits: () => ticks, values: (_, days) => days.map(iso) });
      // The belief is drawn last, above its interval.
      data.splice(1, 3, data[2], data[3], data[1]);
      for (const [name, column] of [['Low', 2], ['High', 3]]) options.series.push({ label: name, stroke: tone('--dim'), width: 1, dash: [4, 4], points: { show: false }, value: told(column) });
      options.series.push({ label: 'Belief', stroke: tone('--accent'), width: 2, points: { size: 6, fill: tone('--panel') }, value: told(1) });
      options.bands = [{ series: [2, 1], fill: tone('--accent-back') }];
    } else {
      // Stacked: the sums are drawn from the highest to the lowest.
      const sums = rows.map((row) => {
        let sum = 0;
        return Array.from({ length: columns }, (_, column) => (sum += number(row[column + 1]) ?? 0));
      });
      data.splice(1, columns);
      for (let column = columns; column >= 1; column -= 1) {
        data.push(sums.map((row) => row[column - 1]));
        options.series.push({
          label: names[column],
          stroke: tone(TONES[column - 1]),
          fill: tone(TONES[column - 1]),
          paths: uPlot.paths.bars({ size: [0.6, 36], radius: 0.1 }),
          points: { show: false },
          value: told(column),
        });
      }
      options.scales.x.range = () => [-0.6, Math.max(rows.length - 0.4, 0.6)];
    }
    box.setAttribute('role', 'img');
    box.setAttribute('aria-label', `Chart of ${names.slice(1, columns + 1).join(', ')} by ${names[0]}; the table has the same figures`);
    new uPlot(options, data, box);
  }

  const DAY = 86400;
  const iso = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 10);

  // Where rows stand in time, in seconds: their day, and those of one day one after the other.
  function places(rows) {
    const perDay = new Map();
    for (const [day] of rows) perDay.set(day, (perDay.get(day) ?? 0) + 1);
    const seen = new Map();
    return rows.map(([day]) => {
      const number = seen.get(day) ?? 0;
      seen.set(day, number + 1);
      return Date.parse(day) / 1000 + (number * DAY) / perDay.get(day);
    });
  }

  // The range that is drawn: three days or more.
  function daysOf(x) {
    const [low, high] = [x[0], x[x.length - 1]];
    if (high - low >= 3 * DAY) return [low, high];
    const first = (Math.floor((low + high) / 2 / DAY) - 1) * DAY;
    return [first, first + 3 * DAY];
  }

  // At most one tick a day, and none so near another that their dates would touch.
  function ticksOf(low, high, width) {
    const step = Math.max(1, Math.ceil((high - low) / DAY / Math.max(1, (width - 92) / 84))) * DAY;
    const ticks = [];
    for (let at = Math.ceil(low / DAY) * DAY; at <= high; at += step) ticks.push(at);
    return ticks;
  }

  // Names below bars: on one line, on two where they would touch, and some of them where two are not enough.
  function namesAxis(rows, x, width) {
    const labels = rows.map((row) => short(row[0]));
    const room = (width - 60) / Math.max(rows.length, 1);
    const need = Math.max(...labels.map((label) => label.length), 0) * 6.2 + 8;
    const two = need > room && need <= 2 * room;
    const every = need <= room || two ? 1 : Math.ceil(need / room);
    const label = (at) => (at % every === 0 ? `${two && at % 2 === 1 ? '\n' : ''}${labels[at] ?? ''}` : '');
    return { splits: () => x, values: (_, all) => all.map(label), grid: { show: false }, size: two ? 62 : 50 };
  }

  function short(text) {
    if (text === undefined) return '';
    if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return text.slice(5);
    return text.length > 14 ? `${text.slice(0, 13)}…` : text;
  }

  const all = () => document.querySelectorAll('[data-chart]').forEach(draw);
  const again = () => {
    document.querySelectorAll('[data-chart]').forEach((box) => box.replaceChildren());
    all();
  };
  all();
  document.addEventListener('htmx:after:swap', all);
  let waiting;
  addEventListener('resize', () => {
    clearTimeout(waiting);
    waiting = setTimeout(again, 150);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', again);
})();
