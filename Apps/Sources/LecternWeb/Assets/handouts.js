// @ts-check
/** Shows the progress of the files that are made to hand out. Without scripts the page is loaded again. */

/**
 * @typedef {{id: string, title: string, form: string, phase: string, percent: number, facts: string,
 *   href?: string}} Item
 */

/**
 * Decides what to do with a new state: which items change, and whether the page must be loaded again because another tab
 * added, removed or finished a file.
 *
 * @param {string[]} shown The ids on the page, in their order.
 * @param {string[]} linked The ids that have a link already.
 * @param {Item[]} items
 */
export function difference(shown, linked, items) {
  const ids = items.map((item) => item.id);
  const isOther = ids.length !== shown.length || ids.some((id, index) => id !== shown[index]);
  const finished = items.filter((item) => item.phase === 'ready' && !linked.includes(item.id));
  return { isOther, finished, changed: items.filter((item) => item.phase !== 'ready') };
}

/** @param {() => Promise<void>} reload Loads the list again. */
export function startHandouts(reload) {
  let isLoading = false;
  /** @param {{items: Item[]}} state */
  return (state) => {
    const rows = [...document.querySelectorAll('[data-handout]')];
    const id = (/** @type {Element} */ row) => row.getAttribute('data-handout') ?? '';
    const linked = rows.filter((row) => row.querySelector('a[download]') !== null).map(id);
    const { isOther, finished, changed } = difference(rows.map(id), linked, state.items);
    for (const item of changed) {
      const row = rows.find((one) => id(one) === item.id);
      const facts = row?.querySelector('[data-part="facts"]');
      if (facts) facts.textContent = item.facts;
      const progress = row?.querySelector('progress');
      if (progress) progress.value = item.percent;
    }
    if ((!isOther && finished.length === 0) || isLoading) return;
    isLoading = true;
    void reload().then(() => {
      isLoading = false;
      const news = document.getElementById('handout-news');
      if (news !== null && finished.length > 0)
        news.textContent = finished.map((item) => `${item.title} is ready.`).join(' ');
    });
  };
}

/** Loads the list of files again, and leaves the rest of the page as it is. */
export async function reloadHandouts() {
  const answer = await fetch('/handouts').catch(() => null);
  if (answer === null || !answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  const [list, fresh] = [document.getElementById('handout-list'), page.getElementById('handout-list')];
  const section = document.getElementById('handouts');
  if (list === null || fresh === null || section === null) return;
  list.replaceChildren(...fresh.children);
  section.hidden = list.children.length === 0;
}
