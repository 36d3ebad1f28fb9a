import type uPlot from 'uplot'

interface Gestures {
  /** The instants on display, in seconds. */
  times: () => [number, number]
  /** Shows other instants while the fingers move. */
  show: (view: [number, number] | undefined) => void
  onZoom: (fromMs: number, toMs: number) => void
}

/** A finger that moves less is a tap, which the browser makes a click. */
const TAP_PIXELS = 8
const LEAST_SECONDS = 60

/**
 * One finger sideways moves the range, two change its length. Up and down stays the browser's, so that the page scrolls.
 * Returns a function that removes the listeners.
 */
export function followTouches(plot: uPlot, { times, show, onZoom }: Gestures): () => void {
  const { over } = plot
  over.style.touchAction = 'pan-y'
  let start: { at: number[]; times: [number, number] } | undefined
  let view: [number, number] | undefined
  const positions = ({ touches }: TouchEvent) => {
    const { left, width } = over.getBoundingClientRect()
    return Array.from(touches, ({ clientX }) => (clientX - left) / width).toSorted((a, b) => a - b)
  }
  const begin = (event: TouchEvent) => {
    start = { at: positions(event), times: view ?? times() }
  }
  const move = (event: TouchEvent) => {
    const at = positions(event)
    if (!start || at.length !== start.at.length || at.length > 2) return
    const [first, last] = start.times
    const span = last - first
    const isTap = at.every((position, index) => Math.abs(position - (start?.at[index] ?? 0)) * over.clientWidth < TAP_PIXELS)
    if (view === undefined && isTap) return
    if (event.cancelable) event.preventDefault()
    // The instants under the fingers stay under them.
    const [from = 0, to = from] = start.at.map((position) => first + position * span)
    const scale = at.length === 2 ? (to - from) / Math.max((at[1] ?? 0) - (at[0] ?? 0), 0.02) : span
    const length = Math.max(scale, LEAST_SECONDS)
    view = [from - (at[0] ?? 0) * length, from + (1 - (at[0] ?? 0)) * length]
    show(view)
  }
  const end = (event: TouchEvent) => {
    if (event.touches.length > 0) return begin(event)
    start = undefined
    if (view) onZoom(Math.round(view[0] * 1000), Math.round(view[1] * 1000))
    view = undefined
  }
  const cancel = () => {
    start = view = undefined
    show(undefined)
  }
  over.addEventListener('touchstart', begin, { passive: true })
  over.addEventListener('touchmove', move, { passive: false })
  over.addEventListener('touchend', end)
  over.addEventListener('touchcancel', cancel)
  return () => {
    over.removeEventListener('touchstart', begin)
    over.removeEventListener('touchmove', move)
    over.removeEventListener('touchend', end)
    over.removeEventListener('touchcancel', cancel)
  }
}
