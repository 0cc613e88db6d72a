'use strict';
(() => {
  // Everything from documents is put into the page as text, and into no other place.
  const byId = (id) => document.getElementById(id);
  const read = (id) => JSON.parse(byId(id).textContent);
  const number = (count) => count.toLocaleString('en');
  const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? '' : 's'}`;

  /** Creates an element with attributes; children are elements or text. */
  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      made.setAttribute(key, value);
    }
    made.append(...children.filter((child) => child !== null));
    return made;
  }

  // A row of two strings is a document: its path, and the reference to it. The other rows are findings
  // in the document before: rule, line, column, target, reference, suggestion, member and message. A
  // target is that of one rule: a string where it occurs first, and then its number.
  const totals = read('totals');
  const rules = totals.rules;
  const rows = read('findings');
  const documents = [];
  const references = [];
  const targets = [];
  const ruleOfTarget = [];
  const findings = [];
  const documentOf = [];
  const targetOf = [];
  for (const row of rows) {
    if (typeof row[0] === 'string') {
      documents.push(row[0]);
      references.push(row[1]);
      continue;
    }
    if (typeof row[3] === 'string') {
      targets.push(row[3]);
      ruleOfTarget.push(row[0]);
      row[3] = targets.length - 1;
    }
    findings.push(row);
    documentOf.push(documents.length - 1);
    targetOf.push(row[3]);
  }
  const RULE = 0, LINE = 1, COLUMN = 2, REFERENCE = 4, SUGGESTION = 5, MEMBER = 6, MESSAGE = 7;
  const isError = (row) => rules[row[RULE]].level === 'error';
  const nameOf = (index) => {
    const member = findings[index][MEMBER];
    const path = documents[documentOf[index]];
    return member ? `${path}!${member}` : path;
  };

  const nameOfTarget = (target) => `${rules[ruleOfTarget[target]].name} ${targets[target]}`;

  // The folder above all documents.
  const folderOf = documents.map((path) => path.slice(0, path.lastIndexOf('/') + 1));
  let top = folderOf.length > 0 ? folderOf[0] : '';
  for (const folder of folderOf) {
    while (!folder.startsWith(top)) {
      top = top.slice(0, top.lastIndexOf('/', top.length - 2) + 1);
    }
  }

  const PAGE = 100, FEW = 10, MANY = 200;
  const SORTS = ['place', 'rule', 'reference', 'target'];
  const START = { text: '', level: '', rule: -1, target: -1, folder: top, sort: 'place', down: false, page: 0 };
  let state = { ...START };
  let wide = { targets: false, folders: false };

  // Each order of the findings is made once: a filter keeps the order.
  const orders = new Map();
  function order(name) {
    if (orders.has(name)) {
      return orders.get(name);
    }
    const made = Uint32Array.from(findings, (_, index) => index);
    const text = (one, other) => (one < other ? -1 : one > other ? 1 : 0);
    if (name === 'rule') {
      made.sort((a, b) => text(rules[findings[a][RULE]].name, rules[findings[b][RULE]].name) || a - b);
    } else if (name === 'reference') {
      made.sort((a, b) => text(findings[a][REFERENCE], findings[b][REFERENCE]) || a - b);
    } else if (name === 'target') {
      const ranks = new Uint32Array(targets.length);
      const sorted = Uint32Array.from(targets, (_, index) => index);
      sorted.sort((a, b) => text(targets[a], targets[b]));
      sorted.forEach((target, rank) => { ranks[target] = rank; });
      made.sort((a, b) => ranks[targetOf[a]] - ranks[targetOf[b]] || a - b);
    }
    orders.set(name, made);
    return made;
  }

  // The text of each finding that a search looks at, made by the first search.
  let haystack = null;
  function haystacks() {
    haystack ??= findings.map((row, index) =>
      [nameOf(index), rules[row[RULE]].name, row[REFERENCE], targets[targetOf[index]], row[SUGGESTION] || '']
        .join('\n').toLowerCase());
    return haystack;
  }

  let matches = [];
  let counts;

  /** Finds the findings to show, and counts those that each further choice would leave. */
  function filter() {
    const words = state.text.toLowerCase().split(/\s+/).filter((word) => word !== '');
    const texts = words.length > 0 ? haystacks() : null;
    const inFolder = folderOf.map((folder) => folder.startsWith(state.folder));
    counts = { rules: new Uint32Array(rules.length), targets: new Uint32Array(targets.length), folders: new Map() };
    matches = [];
    const all = order(state.sort);
    for (let at = 0; at < all.length; at++) {
      const index = all[state.down ? all.length - 1 - at : at];
      const row = findings[index];
      if (state.level !== '' && rules[row[RULE]].level !== state.level) continue;
      if (texts !== null && !words.every((word) => texts[index].includes(word))) continue;
      const isRule = state.rule < 0 || state.rule === row[RULE];
      const isTarget = state.target < 0 || state.target === targetOf[index];
      const isFolder = inFolder[documentOf[index]];
      if (isTarget && isFolder) counts.rules[row[RULE]]++;
      if (isRule && isFolder) counts.targets[targetOf[index]]++;
      if (isRule && isTarget && isFolder) {
        const path = documents[documentOf[index]];
        const end = path.indexOf('/', state.folder.length);
        const child = end < 0 ? path : path.slice(0, end + 1);
        counts.folders.set(child, (counts.folders.get(child) || 0) + 1);
        matches.push(index);
      }
    }
  }

  /** Changes what is shown. */
  function choose(change) {
    state = { ...state, page: 0, ...change };
    show();
    const written = write();
    try {
      history.replaceState(null, '', written === '' ? location.pathname + location.search : `#${written}`);
    } catch {
      // The address of some viewers cannot change.
    }
  }

  // The choices stand in the address, so that a view can be handed on.
  function write() {
    const written = new URLSearchParams();
    if (state.text !== '') written.set('q', state.text);
    if (state.level !== '') written.set('level', state.level);
    if (state.rule >= 0) written.set('rule', rules[state.rule].name);
    if (state.target >= 0) written.set('target', nameOfTarget(state.target));
    if (state.folder !== top) written.set('folder', state.folder);
    if (state.sort !== 'place') written.set('sort', state.sort);
    if (state.down) written.set('order', 'descending');
    if (state.page > 0) written.set('page', String(state.page + 1));
    return written.toString();
  }

  function readAddress() {
    const given = new URLSearchParams(location.hash.slice(1));
    const text = (key) => given.get(key) ?? '';
    state = { ...START };
    state.text = text('q');
    state.level = ['error', 'warning'].includes(text('level')) ? text('level') : '';
    state.rule = given.has('rule') ? rules.findIndex((rule) => rule.name === text('rule')) : -1;
    state.target = given.has('target')
      ? targets.findIndex((_, target) => nameOfTarget(target) === text('target'))
      : -1;
    if (folderOf.some((folder) => folder.startsWith(text('folder'))) && text('folder').startsWith(top)) {
      state.folder = text('folder');
    }
    state.sort = SORTS.includes(text('sort')) ? text('sort') : 'place';
    state.down = text('order') === 'descending';
    state.page = Math.max(0, (Number.parseInt(text('page'), 10) || 1) - 1);
  }

  /** Fills a list of bars: for each row its count, its name, a note, its class, and what it chooses. */
  function bars(list, rowsToShow, most) {
    list.replaceChildren(...rowsToShow.map(({ count, name, note, kind, chosen, change }) => {
      const bar = element('span', { class: 'bar' });
      bar.style.width = `${Math.max(1, (100 * count) / most)}%`;
      const label = element('span', { class: 'name' }, name, note ? element('small', {}, note) : null);
      const button = element('button', { type: 'button', class: kind, 'aria-pressed': String(chosen) }, bar, label,
        element('span', { class: 'number' }, number(count)));
      button.addEventListener('click', () => {
        const name = button.textContent;
        choose(change);
        // The list was made anew: the focus stays at the same place.
        const same = [...list.querySelectorAll('button')].find((other) => other.textContent === name);
        (same || list.querySelector('button') || byId('table')).focus();
      });
      return element('li', {}, button);
    }));
    if (rowsToShow.length === 0) {
      list.append(element('li', { class: 'none' }, 'none'));
    }
  }

  function largest(entries, most) {
    entries.sort((one, other) => other.count - one.count);
    return entries.slice(0, most);
  }

  function showFacets() {
    const byRule = [];
    counts.rules.forEach((count, rule) => {
      if (count > 0) {
        const chosen = state.rule === rule;
        byRule.push({
          count, chosen, name: rules[rule].name, note: rules[rule].message, kind: rules[rule].level,
          change: { rule: chosen ? -1 : rule },
        });
      }
    });
    bars(byId('rules'), largest(byRule, MANY), Math.max(...counts.rules, 1));

    const byTarget = [];
    counts.targets.forEach((count, target) => {
      if (count > 0) {
        byTarget.push({ count, target });
      }
    });
    more('targets', byTarget.length);
    const shownTargets = largest(byTarget, wide.targets ? MANY : FEW).map(({ count, target }) => {
      const chosen = state.target === target;
      const note = rules[ruleOfTarget[target]].name;
      return { count, chosen, name: targets[target], note, kind: '', change: { target: chosen ? -1 : target } };
    });
    bars(byId('targets'), shownTargets, shownTargets.length > 0 ? shownTargets[0].count : 1);

    const byFolder = [...counts.folders].map(([path, count]) => {
      const isFolder = path.endsWith('/');
      return {
        count, chosen: false, name: path.slice(state.folder.length), note: '', kind: '',
        change: isFolder ? { folder: path } : { text: path },
      };
    });
    more('folders', byFolder.length);
    const shownFolders = largest(byFolder, wide.folders ? MANY : FEW);
    bars(byId('folders'), shownFolders, shownFolders.length > 0 ? shownFolders[0].count : 1);
    showTrail();
  }

  function more(name, count) {
    const button = byId(`more-${name}`);
    button.hidden = count <= FEW;
    const all = Math.min(count, MANY);
    button.textContent = wide[name] ? `Show ${FEW}` : `Show ${number(all)} of ${number(count)}`;
  }

  /** Shows the folders above the chosen one. */
  function showTrail() {
    const trail = byId('trail');
    trail.hidden = state.folder === top;
    const steps = state.folder.slice(top.length).split('/').slice(0, -1);
    let path = top;
    const links = [{ name: top === '' ? 'all' : top.slice(0, -1) || '/', path: top }];
    for (const step of steps) {
      path += `${step}/`;
      links.push({ name: step, path });
    }
    trail.replaceChildren(...links.flatMap(({ name, path: folder }, at) => {
      if (at === links.length - 1) {
        return [name];
      }
      const button = element('button', { type: 'button' }, name);
      button.addEventListener('click', () => choose({ folder }));
      return [button, ' / '];
    }));
  }

  function showChosen() {
    const chips = [];
    const chip = (text, change) => {
      const button = element('button', { type: 'button' }, `${text} \u00d7`);
      button.setAttribute('aria-label', `Remove the filter ${text}`);
      button.addEventListener('click', () => {
        choose(change);
        byId('search').focus();
      });
      chips.push(element('li', {}, button));
    };
    if (state.text !== '') chip(`text: ${state.text}`, { text: '' });
    if (state.level !== '') chip(`level: ${state.level}`, { level: '' });
    if (state.rule >= 0) chip(`rule: ${rules[state.rule].name}`, { rule: -1 });
    if (state.target >= 0) chip(`target: ${targets[state.target]}`, { target: -1 });
    if (state.folder !== top) chip(`folder: ${state.folder}`, { folder: top });
    if (chips.length > 1) chip('all filters', { ...START, sort: state.sort, down: state.down });
    byId('chosen').replaceChildren(...chips);
  }

  /** Returns a link to a document, or text where there is none that is safe to follow. */
  function place(index) {
    const row = findings[index];
    const position = row[LINE] > 0 ? `:${row[LINE]}${row[COLUMN] > 0 ? `:${row[COLUMN]}` : ''}` : '';
    const reference = references[documentOf[index]];
    const isInside = /^(\.\.?\/)[\w\-.~!$&'()*+,;=:@\/%]*$/.test(reference);
    const name = isInside
      ? element('a', { href: reference, class: 'path', rel: 'noreferrer' }, nameOf(index))
      : element('span', { class: 'path' }, nameOf(index));
    return element('td', { role: 'cell' }, name, element('span', { class: 'path' }, position));
  }

  function showRows() {
    const pages = Math.max(1, Math.ceil(matches.length / PAGE));
    state.page = Math.min(state.page, pages - 1);
    const shown = matches.slice(state.page * PAGE, (state.page + 1) * PAGE);
    const made = shown.map((index) => {
      const row = findings[index];
      const rule = rules[row[RULE]];
      const suggestion = row[SUGGESTION]
        ? element('small', {}, 'did you mean ', element('code', { class: 'suggestion' }, row[SUGGESTION]), '?')
        : null;
      return element('tr', { role: 'row' },
        element('td', { role: 'cell', class: rule.level },
          element('span', { class: 'mark', 'aria-hidden': 'true' }, isError(row) ? '\u25cf' : '\u25b2'),
          element('span', { class: 'unseen' }, `${rule.level}: `),
          element('span', { class: 'rule' }, rule.name),
          element('small', {}, row[MESSAGE] || rule.message)),
        place(index),
        element('td', { role: 'cell', 'data-label': 'reference' }, element('code', {}, row[REFERENCE]), suggestion),
        element('td', { role: 'cell', 'data-label': 'target' }, element('code', {}, targets[targetOf[index]])));
    });
    if (made.length === 0) {
      const text = findings.length === 0 ? 'No findings: every link that was checked leads somewhere.' : 'No finding has all that was chosen.';
      made.push(element('tr', { role: 'row' }, element('td', { role: 'cell', colspan: '4', class: 'empty' }, text)));
    }
    byId('rows').replaceChildren(...made);
    const all = counted(findings.length, 'finding');
    byId('count').textContent = matches.length === findings.length ? all : `${number(matches.length)} of ${all}`;
    byId('page').textContent = `Page ${number(state.page + 1)} of ${number(pages)}`;
    byId('before').disabled = state.page === 0;
    byId('after').disabled = state.page === pages - 1;
    byId('pages').hidden = pages === 1;
    for (const heading of document.querySelectorAll('th[data-sort]')) {
      heading.removeAttribute('aria-sort');
      if (heading.dataset.sort === state.sort) {
        heading.setAttribute('aria-sort', state.down ? 'descending' : 'ascending');
      }
    }
  }

  function show() {
    filter();
    showFacets();
    showChosen();
    if (byId('search').value !== state.text) {
      byId('search').value = state.text;
    }
    byId('level').value = state.level;
    showRows();
  }

  function showTotals() {
    const tile = (count, name, kind) =>
      element('li', { class: kind }, element('b', {}, number(count)), element('span', {}, name));
    const plural = (count, noun) => (count === 1 ? noun : `${noun}s`);
    byId('tiles').replaceChildren(
      tile(totals.errors, plural(totals.errors, 'error'), totals.errors > 0 ? 'error' : 'ok'),
      tile(totals.warnings, plural(totals.warnings, 'warning'), totals.warnings > 0 ? 'warning' : 'ok'),
      tile(targets.length, plural(targets.length, 'cause'), ''),
      tile(new Set(documentOf).size, `${plural(new Set(documentOf).size, 'file')} with findings`, ''),
      totals.forgiven > 0 ? tile(totals.forgiven, 'in the baseline', '') : '');
    byId('read').textContent =
      `${counted(totals.references, 'reference')} in ${counted(totals.files, 'file')}`;
    document.title = `Link audit: ${counted(totals.errors, 'error')}, ${counted(totals.warnings, 'warning')}`;
    const states = Object.entries(totals.states);
    for (const [name, count] of states) {
      if (count > 0) {
        const part = element('span', { class: `fill-${name}` });
        part.style.flexGrow = String(count);
        byId('states').append(part);
      }
      byId('legend').append(element('li', {}, element('i', { class: `fill-${name}` }), `${number(count)} ${name}`));
    }
    const note = (text, ...more) => byId('notes').append(element('li', {}, text, ...more));
    if (totals.hidden > 0) note(`${counted(totals.hidden, 'finding')} beyond the limit of findings: not in this page.`);
    if (totals.ignored > 0) note(`${counted(totals.ignored, 'finding')} ignored by comments or the configuration.`);
    if (totals.failures > 0) note(`${counted(totals.failures, 'failure')} to read or write files.`);
    if (totals.stale > 0) {
      const lines = element('details', {}, element('summary', {}, 'the first of them'));
      lines.append(...totals.stale_lines.map((line) => element('p', { class: 'path' }, line)));
      note(`${counted(totals.stale, 'line')} of the baseline ${totals.stale === 1 ? 'accepts' : 'accept'} no finding.`, lines);
    }
    byId('facets').hidden = findings.length === 0;
  }

  let waiting = 0;
  byId('search').addEventListener('input', () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => choose({ text: byId('search').value }), 120);
  });
  byId('level').addEventListener('change', () => choose({ level: byId('level').value }));
  for (const [id, step] of [['before', -1], ['after', 1]]) {
    byId(id).addEventListener('click', () => {
      choose({ page: state.page + step });
      byId('table').scrollIntoView();
    });
  }
  for (const name of ['targets', 'folders']) {
    byId(`more-${name}`).addEventListener('click', () => {
      wide = { ...wide, [name]: !wide[name] };
      showFacets();
    });
  }
  for (const heading of document.querySelectorAll('th[data-sort]')) {
    heading.firstElementChild.addEventListener('click', () => {
      const isSame = heading.dataset.sort === state.sort;
      choose({ sort: heading.dataset.sort, down: isSame && !state.down });
    });
  }
  addEventListener('hashchange', () => {
    if (location.hash !== '#table') {
      readAddress();
      show();
    }
  });
  readAddress();
  showTotals();
  show();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
})();
