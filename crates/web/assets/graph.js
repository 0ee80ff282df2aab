// The graph, drawn from the list below it. Nodes are links, so that the keyboard reaches them.
'use strict';
(() => {
  const box = document.getElementById('graph');
  const list = document.getElementById('graph-list');
  if (!box || !list) return;
  const SVG = 'http://www.w3.org/2000/svg';
  const make = (name, attributes = {}) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    return element;
  };
  // Hues that differ for those who see few colours, too; the name of the domain stands beside them.
  const HUES = [225, 25, 150, 285, 55, 190, 340, 95, 250, 10];

  box.hidden = false;
  const width = box.clientWidth;
  const height = box.clientHeight;
  const domains = [...list.querySelectorAll('[data-domain]')];
  const nodes = [];
  const byId = new Map();
  domains.forEach((section, at) => {
    const angle = (at / domains.length) * 2 * Math.PI - Math.PI / 2;
    const spread = domains.length > 1 ? 0.36 : 0;
    const home = { x: width / 2 + Math.cos(angle) * spread * Math.max(width, 640), y: height / 2 + Math.sin(angle) * spread * Math.max(height, 520) };
    for (const item of section.querySelectorAll('[data-node]')) {
      const link = item.querySelector('.row');
      const node = { id: item.dataset.node, href: link.href, title: link.querySelector('.title').textContent, belief: Number(item.dataset.belief), domain: section.dataset.domain, hue: HUES[at % HUES.length], home, item };
      nodes.push(node);
      byId.set(node.id, node);
    }
  });
  const edges = [];
  const seen = new Set();
  for (const node of nodes)
    for (const tie of node.item.querySelectorAll('[data-to]')) {
      const other = byId.get(tie.dataset.to);
      const kind = tie.dataset.tie;
      const name = kind === 'used' ? [node.id, tie.dataset.to].sort().join(' ') : `${node.id} ${tie.dataset.to} ${tie.textContent}`;
      if (!other || seen.has(`${kind} ${name}`)) continue;
      seen.add(`${kind} ${name}`);
      edges.push({ source: node, target: other, kind, contradicts: tie.textContent.startsWith('contradicts') });
    }

  const svg = make('svg', { role: 'group', 'aria-label': `Graph of ${nodes.length} entries` });
  const view = make('g');
  svg.append(view);
  for (const edge of edges) {
    edge.line = make('line', { class: `edge ${edge.kind}${edge.contradicts ? ' contradicts' : ''}`, 'stroke-width': edge.contradicts ? 2 : 1.2 });
    view.append(edge.line);
  }
  const names = new Map();
  for (const section of domains) {
    const text = make('text', { class: 'domain', 'aria-hidden': 'true' });
    text.textContent = section.dataset.domain;
    names.set(section.dataset.domain, text);
  }
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const colour = (node) => `hsl(${node.hue} 55% ${dark.matches ? 66 : 42}%)`;
  for (const node of nodes) {
    node.radius = 4 + (node.belief / 100) * 6;
    node.link = make('a', { class: 'node', href: node.href, 'aria-label': `${node.title}, ${node.domain}, belief ${node.belief} %` });
    node.circle = make('circle', { r: node.radius });
    node.circle.style.setProperty('--node', colour(node));
    const text = make('text', { x: node.radius + 3, y: 3, 'aria-hidden': 'true' });
    // Cut between words: a part of the name that is read aloud.
    text.textContent = node.title.length > 34 ? node.title.slice(0, 34).replace(/\s+\S*$/, '') : node.title;
    const tip = make('title');
    tip.textContent = node.title;
    node.link.append(node.circle, text, tip);
    view.append(node.link);
  }
  for (const text of names.values()) view.append(text);
  box.append(svg);
  dark.addEventListener('change', () => nodes.forEach((node) => node.circle.style.setProperty('--node', colour(node))));

  let at;
  const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const force = d3
    .forceSimulation(nodes)
    .force('link', d3.forceLink(edges).distance(70).strength(0.25))
    .force('charge', d3.forceManyBody().strength(nodes.length > 150 ? -60 : -240))
    .force('collide', d3.forceCollide((node) => node.radius + 14))
    .force('x', d3.forceX((node) => node.home.x).strength(0.12))
    .force('y', d3.forceY((node) => node.home.y).strength(0.14))
    .stop();
  force.tick(still || nodes.length > 150 ? 220 : 160);
  place();
  fit();

  function place() {
    for (const edge of edges) {
      const { source, target, line } = edge;
      line.setAttribute('x1', source.x);
      line.setAttribute('y1', source.y);
      line.setAttribute('x2', target.x);
      line.setAttribute('y2', target.y);
    }
    for (const node of nodes) node.link.setAttribute('transform', `translate(${node.x},${node.y})`);
    for (const [name, text] of names) {
      const own = nodes.filter((node) => node.domain === name);
      text.setAttribute('x', own.reduce((sum, node) => sum + node.x, 0) / own.length);
      text.setAttribute('y', Math.min(...own.map((node) => node.y)) - 16);
    }
  }

  // Pan and zoom.
  function show() {
    view.setAttribute('transform', `translate(${at.x},${at.y}) scale(${at.scale})`);
  }
  function fit() {
    const xs = nodes.map((node) => node.x);
    const ys = nodes.map((node) => node.y);
    const [left, right, top, bottom] = [Math.min(...xs) - 30, Math.max(...xs) + 190, Math.min(...ys) - 40, Math.max(...ys) + 30];
    const scale = Math.min(box.clientWidth / (right - left), box.clientHeight / (bottom - top), 1.6);
    at = { scale, x: (box.clientWidth - (left + right) * scale) / 2, y: (box.clientHeight - (top + bottom) * scale) / 2 };
    show();
  }
  function zoom(factor, x = box.clientWidth / 2, y = box.clientHeight / 2) {
    const scale = Math.min(Math.max(at.scale * factor, 0.15), 6);
    at = { scale, x: x - ((x - at.x) / at.scale) * scale, y: y - ((y - at.y) / at.scale) * scale };
    show();
  }
  svg.addEventListener('wheel', (event) => {
    event.preventDefault();
    const corner = svg.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY / 400), event.clientX - corner.left, event.clientY - corner.top);
  }, { passive: false });
  let held = null;
  svg.addEventListener('pointerdown', (event) => {
    if (event.target.closest('.node')) return;
    held = { x: event.clientX - at.x, y: event.clientY - at.y };
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener('pointermove', (event) => {
    if (!held) return;
    at = { ...at, x: event.clientX - held.x, y: event.clientY - held.y };
    show();
  });
  svg.addEventListener('pointerup', () => (held = null));
  svg.addEventListener('pointercancel', () => (held = null));
  const buttons = document.createElement('div');
  buttons.className = 'graph-buttons';
  for (const [sign, name, act] of [['+', 'Zoom in', () => zoom(1.3)], ['−', 'Zoom out', () => zoom(1 / 1.3)], ['⤢', 'Show all', fit]]) {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = sign;
    button.setAttribute('aria-label', name);
    button.addEventListener('click', act);
    buttons.append(button);
  }
  box.append(buttons);
  box.addEventListener('keydown', (event) => {
    const step = 40;
    const moves = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
    if (event.key === '+' || event.key === '=') zoom(1.2);
    else if (event.key === '-') zoom(1 / 1.2);
    else if (event.key === '0') fit();
    else if (moves[event.key]) {
      at = { ...at, x: at.x + moves[event.key][0], y: at.y + moves[event.key][1] };
      show();
    } else return;
    event.preventDefault();
  });

  // Filters.
  const ties = document.getElementById('graph-ties');
  const find = document.getElementById('graph-find');
  function filter() {
    const words = find.value.trim().toLowerCase();
    for (const edge of edges) edge.line.toggleAttribute('hidden', ties.value === 'links' ? edge.kind === 'used' : ties.value === 'used' ? edge.kind !== 'used' : false);
    for (const edge of edges) edge.line.style.display = edge.line.hasAttribute('hidden') ? 'none' : '';
    for (const node of nodes) {
      const found = words === '' || `${node.title} ${node.domain} ${node.id}`.toLowerCase().includes(words);
      node.link.classList.toggle('faded', !found);
      node.item.hidden = !found;
    }
  }
  ties.addEventListener('change', filter);
  find.addEventListener('input', filter);
  document.querySelector('.bar select[name=domain]')?.addEventListener('change', (event) => event.target.form.requestSubmit());
})();
