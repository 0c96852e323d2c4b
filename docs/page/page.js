// Search, and buttons that copy a block of code. Everything else of the reference works without a script.
const box = document.querySelector('.search');
const input = document.querySelector('#search');
const list = document.querySelector('#found');
const MOST = 12;
const SMALL = 860;

if (window.innerWidth < SMALL) document.querySelector('#chapters').open = false;

let entries = null;
let loading = null;
let marked = -1;

/** Loads what the search looks through, once. After a failure the next key tries again. */
function load() {
  loading ??= read();
}

async function read() {
  try {
    const rows = await (await fetch(box.dataset.index)).json();
    entries = rows.map(([kind, title, path, words]) => {
      const head = title.toLowerCase();
      return { kind, title, path, head, all: `${head} ${words.toLowerCase()}` };
    });
    show();
  } catch {
    loading = null;
  }
}

/** A match in the title is worth more than one in the text, and the begin of a word more than its middle. */
function worth(entry, words) {
  let sum = 0;
  for (const word of words) {
    if (!entry.all.includes(word)) return 0;
    const at = entry.head.indexOf(word);
    if (at < 0) sum += 1;
    else sum += at === 0 || /[^a-z0-9]/.test(entry.head[at - 1]) ? 6 : 3;
  }
  return sum + 2 / entry.head.length;
}

function show() {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = !entries || words.length === 0
    ? []
    : entries
        .map((entry) => ({ entry, worth: worth(entry, words) }))
        .filter((each) => each.worth > 0)
        .sort((a, b) => b.worth - a.worth)
        .slice(0, MOST);
  list.replaceChildren(
    ...found.map(({ entry }, at) => {
      const item = document.createElement('li');
      item.id = `found-${at}`;
      item.role = 'option';
      item.ariaSelected = 'false';
      const link = document.createElement('a');
      link.href = box.dataset.root + entry.path;
      link.tabIndex = -1;
      const kind = document.createElement('span');
      kind.textContent = entry.kind;
      link.append(entry.title, ' ', kind);
      item.append(link);
      return item;
    }),
  );
  if (words.length > 0 && entries && found.length === 0) {
    const item = document.createElement('li');
    item.role = 'option';
    item.ariaDisabled = 'true';
    item.textContent = 'Nothing found. Try a word of a path, a field or a code.';
    list.append(item);
  }
  marked = -1;
  input.removeAttribute('aria-activedescendant');
  open(list.childElementCount > 0);
}

function open(isOpen) {
  list.hidden = !isOpen;
  input.ariaExpanded = String(isOpen);
}

function mark(at) {
  const items = [...list.querySelectorAll('li[id]')];
  if (items.length === 0) return;
  items[marked]?.setAttribute('aria-selected', 'false');
  marked = (at + items.length) % items.length;
  items[marked].setAttribute('aria-selected', 'true');
  items[marked].scrollIntoView({ block: 'nearest' });
  input.setAttribute('aria-activedescendant', items[marked].id);
}

input.addEventListener('focus', load);
input.addEventListener('input', () => (entries ? show() : load()));
input.addEventListener('keydown', (event) => {
  if (event.key === 'ArrowDown') mark(marked + 1);
  else if (event.key === 'ArrowUp') mark(marked < 0 ? -1 : marked - 1);
  else if (event.key === 'Escape') open(false);
  else if (event.key === 'Enter') list.querySelectorAll('li[id] a')[Math.max(marked, 0)]?.click();
  else return;
  if (event.key !== 'Escape') event.preventDefault();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.closest('input, textarea')) return;
  event.preventDefault();
  input.focus();
});
document.addEventListener('click', (event) => {
  if (!box.contains(event.target)) open(false);
});
if (document.activeElement === input) load();

for (const block of document.querySelectorAll('main pre')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(block.innerText);
    button.textContent = 'Copied';
    setTimeout(() => (button.textContent = 'Copy'), 2000);
  });
  const frame = document.createElement('div');
  frame.className = 'copied';
  block.replaceWith(frame);
  frame.append(block, button);
}
