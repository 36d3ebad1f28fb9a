import { describe, expect, it } from 'vitest'
import { divideTime, type MonitorHistory } from './timeline.ts'

const range = { fromMs: 100_000, toMs: 200_000 }
const history: MonitorHistory = {
  createdMs: 0,
  intervalMs: 1_000,
  status: 'up',
  changes: [],
  covered: [range],
  maintenance: [],
  excluded: [],
}
const change = (atMs: number, from: 'up' | 'down' | 'degraded' | 'paused', to: typeof from) => ({
  atMs,
  from,
  to,
  reason: `${to}!`,
})
const span = (fromMs: number, toMs: number) => ({ fromMs, toMs })

describe('the time of a range', () => {
  it('has the status of now where nothing ever changed', () => {
    expect(divideTime({ ...history, status: 'degraded' }, range).seconds).toEqual({ up: 0, degraded: 100, down: 0 })
  })

  it('begins with the status of the last change before it', () => {
    const changes = [change(50_000, 'up', 'down'), change(130_000, 'down', 'up')]
    const { seconds, downtimes } = divideTime({ ...history, changes }, range)
    expect(seconds).toEqual({ up: 70, degraded: 0, down: 30 })
    expect(downtimes).toEqual([{ fromMs: 100_000, toMs: 130_000, reason: null, isOpen: false, excludedSeconds: 0 }])
  })

  it('begins with what the first change after it ends', () => {
    expect(divideTime({ ...history, changes: [change(230_000, 'down', 'up')] }, range).seconds.down).toBe(100)
  })

  it('is divided at each change, and ends with the last status', () => {
    const changes = [change(120_000, 'up', 'down'), change(121_000, 'down', 'degraded'), change(190_000, 'degraded', 'down')]
    const { seconds, downtimes } = divideTime({ ...history, changes }, range)
    expect(seconds).toEqual({ up: 20, degraded: 69, down: 11 })
    expect(downtimes.map(({ reason, isOpen }) => [reason, isOpen])).toEqual([
      ['down!', false],
      ['down!', true],
    ])
  })

  it('is in one group only: paused before no data before maintenance before the status', () => {
    const divided = divideTime(
      {
        ...history,
        changes: [change(120_000, 'up', 'paused'), change(140_000, 'paused', 'down')],
        covered: [span(100_000, 130_000), span(150_000, 200_000)],
        maintenance: [span(110_000, 160_000)],
      },
      range,
    )
    expect(divided).toMatchObject({
      pausedSeconds: 20,
      noDataSeconds: 10,
      maintenanceSeconds: 20,
      seconds: { up: 10, degraded: 0, down: 40 },
      downtimes: [{ excludedSeconds: 20 }],
    })
  })

  it('has no data before the monitor existed, and in gaps of more than three intervals', () => {
    const covered = [span(120_000, 150_000), span(153_000, 160_000), span(163_001, 200_000)]
    expect(divideTime({ ...history, createdMs: 120_000, covered }, range).noDataSeconds).toBe(23.001)
    const unborn = divideTime({ ...history, createdMs: 300_000, covered: [] }, range)
    expect(unborn).toMatchObject({ noDataSeconds: 100, seconds: { up: 0 } })
  })
})
