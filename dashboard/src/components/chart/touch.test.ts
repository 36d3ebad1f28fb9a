import { describe, expect, it } from 'vitest'
import { followTouches } from './touch.ts'

/** A chart of 100 pixels that shows the seconds 0 to 1000, and what its gestures did. */
function createChart() {
  const listeners = new Map<string, (event: object) => void>()
  const shown: unknown[] = []
  const zooms: number[][] = []
  const over = {
    style: { touchAction: '' },
    clientWidth: 100,
    getBoundingClientRect: () => ({ left: 10, width: 100 }),
    addEventListener: (name: string, listener: (event: object) => void) => listeners.set(name, listener),
    removeEventListener: (name: string) => listeners.delete(name),
  }
  const stop = followTouches({ over } as never, {
    times: () => [0, 1_000],
    show: (view) => shown.push(view),
    onZoom: (from, to) => zooms.push([from / 1000, to / 1000]),
  })
  let prevented = 0
  /** `at` are pixels from the left edge of the chart. */
  const touch = (name: 'start' | 'move' | 'end' | 'cancel', ...at: number[]) =>
    listeners.get(`touch${name}`)?.({
      touches: at.map((pixels) => ({ clientX: pixels + 10 })),
      cancelable: true,
      preventDefault: () => (prevented += 1),
    })
  return { touch, shown, zooms, stop, over, listeners, prevented: () => prevented }
}

describe('touches of a chart', () => {
  it.each([
    ['to the right show what was before', 20, 60, [-400, 600]],
    ['to the left show what comes', 60, 20, [400, 1_400]],
  ])('by one finger %s', (_name, from, to, range) => {
    const { touch, zooms } = createChart()
    touch('start', from)
    touch('move', to)
    touch('end')
    expect(zooms).toEqual([range])
  })

  it.each([
    ['apart show less', [40, 60], [20, 80], [333, 667]],
    ['together show more', [20, 80], [40, 60], [-1_000, 2_000]],
    ['over each other show less too', [40, 60], [80, 20], [333, 667]],
  ])('by two fingers %s, with the instants below them where they were', (_name, from, to, range) => {
    const { touch, zooms } = createChart()
    touch('start', ...from)
    touch('move', ...to)
    touch('end')
    expect(zooms.map((zoom) => zoom.map(Math.round))).toEqual([range])
  })

  it('never show less than a minute, however far the fingers part', () => {
    const { touch, zooms } = createChart()
    touch('start', 50, 51)
    touch('move', 0, 100)
    touch('end')
    const [from = 0, to = 0] = zooms[0] ?? []
    expect(to - from).toBeCloseTo(60)
  })

  it('that stay in place are a tap, which stays the click of the browser', () => {
    const { touch, shown, zooms, prevented } = createChart()
    touch('start', 50)
    touch('move', 57)
    touch('end')
    expect([shown, zooms, prevented()]).toEqual([[], [], 0])
  })

  it('that have begun to move follow small steps too, and the page does not scroll', () => {
    const { touch, shown, zooms, prevented } = createChart()
    touch('start', 50)
    touch('move', 60)
    touch('move', 51)
    touch('end')
    expect(shown).toEqual([
      [-100, 900],
      [-10, 990],
    ])
    expect([zooms, prevented()]).toEqual([[[-10, 990]], 2])
  })

  it('go on with the finger that stays, and with one that comes', () => {
    const { touch, zooms } = createChart()
    touch('start', 40, 60)
    touch('move', 20, 80)
    touch('end', 20)
    expect(zooms).toEqual([])
    touch('move', 50)
    touch('end')
    // A third of the time is on display: 30 of 100 pixels are 100 of 333 seconds.
    expect(zooms.map((zoom) => zoom.map(Math.round))).toEqual([[233, 567]])
  })

  it('that are canceled show what was there before', () => {
    const { touch, shown, zooms } = createChart()
    touch('start', 20)
    touch('move', 60)
    touch('cancel')
    touch('end')
    expect([shown.at(-1), zooms]).toEqual([undefined, []])
  })

  it('of three fingers do nothing', () => {
    const { touch, shown } = createChart()
    touch('start', 10, 20, 30)
    touch('move', 40, 60, 90)
    expect(shown).toEqual([])
  })

  it('leave the page its scrolling, and no listener behind', () => {
    const { over, stop, listeners } = createChart()
    expect([over.style.touchAction, listeners.size]).toEqual(['pan-y', 4])
    stop()
    expect(listeners.size).toBe(0)
  })
})
