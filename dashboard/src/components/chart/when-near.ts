/** How far from the view, in screens: what a short scroll reaches is there already. */
const NEAR = '50% 0px'

/**
 * Runs a callback once an element is near the view, or before the page is printed. Returns a function that cancels a callback which has
 * not run.
 */
export function whenNear(element: Element, run: (isPrinted: boolean) => void): () => void {
  const begin = (isPrinted: boolean) => {
    cancel()
    run(isPrinted)
  }
  const observer = new IntersectionObserver((entries) => entries.some(({ isIntersecting }) => isIntersecting) && begin(false), {
    rootMargin: NEAR,
  })
  const print = () => begin(true)
  const cancel = () => {
    observer.disconnect()
    removeEventListener('beforeprint', print)
  }
  observer.observe(element)
  addEventListener('beforeprint', print)
  return cancel
}
