// Keys, the menu of a phone, and news of changes. Pages work without it.
'use strict';
(() => {
  const typing = (element) => element.closest('input, textarea, select, [contenteditable]') !== null;
  const visible = (element) => element.offsetParent !== null;

  // A phone's width has no room for an open menu.
  const menu = document.querySelector('.menu');
  if (menu && matchMedia('(max-width: 760px)').matches) menu.open = false;

  // Lists: j and k move, Enter opens.
  const rows = () => [...document.querySelectorAll('[data-list] .row, [data-list] .row-link')].filter(visible);
  function move(step) {
    const all = rows();
    if (all.length === 0) return;
    const at = all.indexOf(document.activeElement);
    const next = all[Math.min(Math.max(at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step, 0), all.length - 1)];
    document.querySelectorAll('.selected').forEach((row) => row.classList.remove('selected'));
    next.closest('li, tr')?.classList.add('selected');
    next.focus();
    next.scrollIntoView({ block: 'nearest' });
  }

  let afterG = false;
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && typing(event.target)) {
      // A search field would be emptied by it.
      event.preventDefault();
      event.target.blur();
      return;
    }
    if (typing(event.target) || document.querySelector('dialog[open]')) return;
    const press = (element) => {
      event.preventDefault();
      element.focus();
      element.click();
    };
    if (afterG) {
      afterG = false;
      const link = document.querySelector(`[data-go="${CSS.escape(event.key)}"]`);
      if (link) {
        event.preventDefault();
        location.assign(link.href);
      }
      return;
    }
    const keyed = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (event.key === 'g') afterG = true;
    else if (event.key === '/') {
      event.preventDefault();
      const field = document.getElementById('q') ?? document.getElementById('find');
      field.focus();
      field.select();
    } else if (event.key === '?') document.getElementById('keys').showModal();
    else if (keyed) press(keyed);
    else if (event.key === 'j') move(1);
    else if (event.key === 'k') move(-1);
  });

  // Fields that are empty are left out of the address.
  document.addEventListener('formdata', (event) => {
    if (event.target.method !== 'get') return;
    for (const [name, value] of [...event.formData]) if (value === '') event.formData.delete(name);
  });

  // A form that was sent is not sent again by an impatient click.
  document.addEventListener('submit', (event) => {
    const form = event.target;
    if (form.method !== 'post') return;
    if (form.dataset.sent) event.preventDefault();
    else {
      form.dataset.sent = 'yes';
      setTimeout(() => delete form.dataset.sent, 2000);
    }
  });

  // Changes by others are told, never forced upon the reader.
  let changes = 0;
  let own = Date.now();
  document.addEventListener('htmx:after:swap', () => {
    own = Date.now();
    // What was done, or why it was refused, is brought into view and read out once. Without scripts the browser does that itself.
    const told = document.querySelector('#problem:not([data-seen]), #done:not([data-seen])');
    if (!told) return;
    told.dataset.seen = 'yes';
    told.focus({ preventScroll: true });
    told.scrollIntoView({ block: told.id === 'problem' ? 'center' : 'nearest' });
  });
  // The browser itself went to what a page says as it comes; parts that follow do not go back there.
  document.querySelectorAll('#problem, #done').forEach((told) => (told.dataset.seen = 'yes'));
  function changed() {
    if (Date.now() - own < 1500) return;
    changes += 1;
    const line = document.getElementById('changes');
    if (!line) return;
    line.textContent = `${changes} ${changes === 1 ? 'change' : 'changes'} since this page was made. `;
    const link = document.createElement('a');
    link.href = location.href;
    link.textContent = 'Reload';
    line.append(link);
    line.hidden = false;
  }
  // A browser keeps few connections to a server: a tab that nobody looks at gives its own back.
  let news = null;
  function listen() {
    news?.close();
    news = null;
    if (!window.EventSource || document.hidden) return;
    news = new EventSource('/api/v1/events');
    news.onmessage = changed;
    const kinds = 'added revised archived restored retracted superseded confirmed cited promoted released tagged';
    for (const kind of kinds.split(' ')) news.addEventListener(`entry.${kind}`, changed);
    for (const kind of ['belief.observed', 'link.linked', 'link.unlinked', 'promotion.proposed', 'promotion.approved', 'promotion.rejected'])
      news.addEventListener(kind, changed);
  }
  listen();
  document.addEventListener('visibilitychange', listen);
  addEventListener('pagehide', () => news?.close());
})();
