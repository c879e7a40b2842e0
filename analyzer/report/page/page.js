(() => {
  'use strict';
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const byId = id => document.getElementById(id);
  const live = byId('live');
  const say = text => { live.textContent = text; };

  // Theme: the switch wins over the system and is remembered where the browser lets us.
  const setTheme = theme => {
    const root = document.documentElement;
    if (theme === 'auto') root.removeAttribute('data-theme'); else root.setAttribute('data-theme', theme);
  };
  let theme = 'auto';
  try { theme = localStorage.getItem('cdcscope-theme') || 'auto'; } catch { /* a file may have no storage */ }
  setTheme(theme);
  for (const input of all('[name=theme]')) {
    input.checked = input.value === theme;
    input.addEventListener('change', () => {
      setTheme(input.value);
      try { localStorage.setItem('cdcscope-theme', input.value); } catch { /* as above */ }
    });
  }

  // Copy: a file opened from disk may have no clipboard; a selected text area is the second way.
  const copy = async (text, button) => {
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement('textarea');
      area.value = text;
      area.className = 'vh';
      document.body.append(area);
      area.select();
      try { done = document.execCommand('copy'); } catch { done = false; }
      area.remove();
      button.focus();
    }
    button.dataset.label ||= button.textContent;
    button.textContent = done ? 'Copied' : 'Select it';
    say(done ? 'Copied to the clipboard' : 'Copying is blocked: select the text');
    setTimeout(() => { button.textContent = button.dataset.label; }, 1600);
  };
  for (const box of all('.df')) {
    const button = box.querySelector('button'), code = box.querySelector('code');
    button.addEventListener('click', () => copy(code.textContent, button));
  }
  const ticket = byId('ticket');
  if (ticket) ticket.addEventListener('click', () => copy(byId('ticket-text').textContent.trim(), ticket));

  // Tables: sort by any column.
  const valueIn = (row, column) => {
    const cell = row.cells[column];
    return cell.dataset.v === undefined ? cell.textContent : Number(cell.dataset.v);
  };
  const compare = (a, b) => typeof a === 'number' && typeof b === 'number'
    ? a - b : String(a).localeCompare(String(b), undefined, {numeric: true});
  const sortBy = (table, heads, column, label) => {
    const up = heads[column].getAttribute('aria-sort') !== 'ascending';
    for (const head of heads) head.removeAttribute('aria-sort');
    heads[column].setAttribute('aria-sort', up ? 'ascending' : 'descending');
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((a, b) => compare(valueIn(a, column), valueIn(b, column)) * (up ? 1 : -1));
    body.append(...rows);
    say('Sorted by ' + label + (up ? ', ascending' : ', descending'));
  };
  for (const table of all('table.sort')) {
    const heads = all('thead th', table);
    heads.forEach((head, column) => {
      const label = head.textContent, button = document.createElement('button');
      button.type = 'button';
      button.textContent = label;
      button.addEventListener('click', () => sortBy(table, heads, column, label));
      head.replaceChildren(button);
    });
  }

  // Filters: every word must be there, and the severity ticked.
  for (const filter of all('.filter[data-for]')) {
    const list = byId(filter.dataset.for), none = byId(filter.dataset.for + '-none');
    const words = filter.querySelector('[type=search]'), output = filter.querySelector('output');
    const boxes = all('[type=checkbox]', filter);
    const run = () => {
      const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      const severities = new Set(boxes.filter(box => box.checked).map(box => box.value));
      const items = all(filter.dataset.items, list);
      let shown = 0;
      for (const item of items) {
        const text = item.textContent.toLowerCase();
        const fits = wanted.every(word => text.includes(word)) && (!boxes.length || severities.has(item.dataset.sev));
        item.hidden = !fits;
        if (fits) ++shown;
      }
      output.textContent = shown === items.length ? shown + ' shown' : shown + ' of ' + items.length + ' shown';
      if (none) none.hidden = shown > 0;
    };
    filter.addEventListener('input', run);
    run();
  }

  // A link to something folded away opens it.
  const openTarget = () => {
    const target = location.hash.length > 1 && byId(location.hash.slice(1));
    if (!target) return;
    const fold = target.querySelector(':scope > details') || target.closest('details');
    if (fold) fold.open = true;
    target.hidden = false;
    target.scrollIntoView();
  };
  addEventListener('hashchange', openTarget);
  openTarget();
  for (const [id, selector] of [['allc', '.conn > details'], ['allf', '.fold']]) {
    const button = byId(id);
    if (!button) continue;
    button.addEventListener('click', () => {
      const folds = all(selector), open = folds.some(fold => !fold.open);
      for (const fold of folds) fold.open = open;
      button.textContent = open ? 'Hide all' : 'Show all';
    });
  }
  if (matchMedia('(max-width: 44rem)').matches && !location.hash) {
    all('.conn > details').forEach((fold, i) => { fold.open = i === 0; });
  }
  addEventListener('beforeprint', () => { for (const fold of all('details')) fold.open = true; });

  // Charts: a crosshair by pointer, and by arrow keys once the chart has the focus.
  const timeOf = (plot, micros) => {
    const ms = Number(plot.dataset.t0) + micros / 1000;
    return new Date(Math.round(ms)).toISOString().slice(11, 23);
  };
  const points = plot => JSON.parse(plot.dataset.s);
  for (const plot of all('.plot[data-s]')) {
    const series = points(plot), [from, to] = JSON.parse(plot.dataset.x), unit = plot.dataset.u;
    const cross = document.createElement('div'), tip = document.createElement('div');
    cross.className = 'cross';
    tip.className = 'tip';
    plot.append(cross, tip);
    let at = -1;
    const show = i => {
      at = Math.max(0, Math.min(series.length - 1, i));
      const [x, y, label] = series[at], share = Math.max(0, Math.min(100, (x - from) / (to - from) * 100));
      cross.style.display = tip.style.display = 'block';
      cross.style.left = share + '%';
      tip.style.left = share > 55 ? 'auto' : 'calc(' + share + '% + 6px)';
      tip.style.right = share > 55 ? 'calc(' + (100 - share) + '% + 6px)' : 'auto';
      tip.textContent = (label || timeOf(plot, x)) + '  ' + y.toLocaleString('en') + ' ' + unit;
    };
    const hide = () => { cross.style.display = tip.style.display = 'none'; };
    plot.addEventListener('pointermove', event => {
      const box = plot.getBoundingClientRect(), x = from + (event.clientX - box.left) / box.width * (to - from);
      let low = 0, high = series.length - 1;
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (series[middle][0] <= x) low = middle; else high = middle - 1;
      }
      show(low);
    });
    plot.addEventListener('pointerleave', hide);
    plot.addEventListener('blur', hide);
    plot.addEventListener('keydown', event => {
      const step = {ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity}[event.key];
      if (step === undefined) return;
      event.preventDefault();
      show(step === -Infinity ? 0 : step === Infinity ? series.length - 1 : at + step);
      say(tip.textContent);
    });
  }

  // Zoom: dygraphs takes the place of the drawing, in the same box, at the first press; charts of a connection move together.
  const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const mounted = new Map();
  const mount = plot => {
    const box = document.createElement('div'), limit = Number(plot.dataset.limit || 0);
    box.className = 'zoomed';
    plot.classList.add('live');
    plot.append(box);
    const rows = points(plot).map(([x, y]) => [new Date(Number(plot.dataset.t0) + x / 1000), y]);
    return new Dygraph(box, rows, {
      labels: ['time', plot.dataset.u], colors: [colour('--data')], stepPlot: plot.dataset.step === '1', labelsUTC: true,
      strokeWidth: 2, valueRange: [0, Math.max(limit, ...rows.map(row => row[1])) * 1.1], axisLineColor: colour('--soft'), gridLineColor: colour('--grid'),
      showRangeSelector: plot.dataset.range === '1', rangeSelectorPlotStrokeColor: colour('--data'),
      rangeSelectorPlotFillColor: colour('--data-soft'), legend: 'follow',
      underlayCallback: (canvas, area, graph) => {
        if (!limit) return;
        const y = graph.toDomYCoord(limit);
        canvas.strokeStyle = colour('--warn');
        canvas.setLineDash([6, 4]);
        canvas.beginPath();
        canvas.moveTo(area.x, y);
        canvas.lineTo(area.x + area.w, y);
        canvas.stroke();
        canvas.setLineDash([]);
      },
    });
  };
  if (typeof Dygraph !== 'undefined') {
    for (const button of all('.zoom')) {
      button.hidden = false;
      button.addEventListener('click', () => {
        const plot = button.closest('figure').querySelector('.plot[data-s]'), group = plot.closest('.conn').id;
        button.remove();
        const graphs = mounted.get(group) || [];
        graphs.push(mount(plot));
        mounted.set(group, graphs);
        if (graphs.length > 1 && Dygraph.synchronize) Dygraph.synchronize(graphs, {range: false, selection: true});
        say('Drag to zoom, double-click to see all again');
      });
    }
  }
})();
