/** Shown whole where somebody points at it: one rule, so that no text needs a title of its own. */
const isCut = (element: HTMLElement): boolean =>
  element.scrollWidth > element.clientWidth && getComputedStyle(element).textOverflow === 'ellipsis'

/** Gives a text that ends with an ellipsis all of it as its title, when the pointer comes to it. One that has a title keeps it. */
export function titleCutTexts(root: Document): void {
  root.addEventListener('pointerover', ({ target }) => {
    for (let element = target; element instanceof HTMLElement; element = element.parentElement) {
      if (element.title !== '') return
      if (!isCut(element)) continue
      element.title = element.textContent.trim()
      // The text may change, and the width: the next pointer reads both again.
      element.addEventListener('pointerleave', () => element.removeAttribute('title'), { once: true })
      return
    }
  })
}
