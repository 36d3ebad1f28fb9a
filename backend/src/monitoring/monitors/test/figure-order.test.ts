import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Credentials, TestOrganization } from '../../../../test/harness.ts'
import { compactChecks } from '../../checks/index.ts'
import { type KeptCheck, type Scene, startScene } from './scene.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const COUNT = 24

let scene: Scene
let own: TestOrganization
let as: Credentials
beforeAll(async () => {
  scene = await startScene()
  own = await scene.backend.organization('Ordered')
  as = await scene.backend.member(own, 'owner')
  // Most checks are near the beginning of the seven days: leaving some out changes the order.
  const start = scene.backend.clock.now()
  for (let site = 0; site < COUNT; site += 1) {
    const { id } = await scene.make({ name: `site ${site}`, tags: [site % 2 === 0 ? 'even' : 'odd'] }, as)
    const checks = Array.from({ length: site % 6 === 5 ? 0 : 40 }, (_, index): KeptCheck => {
      const hours = index < 30 ? index * 0.19 : index * 3
      const isFailed = site % 6 !== 4 && (index * 7 + site * 5) % 11 < 3
      return {
        at: start - 7 * DAY + Math.round(hours * HOUR) + site,
        outcome: isFailed ? 2 : 0,
        responseUs: isFailed && index % 2 === 0 ? null : 10_000 + ((index * 7_919 + site * 104_729) % 50_000),
      }
    })
    if (checks.length > 0) await scene.keep(id, ...checks)
  }
})
afterAll(() => scene.backend.close())

interface Item {
  id: string
  uptime_7d: number
  avg_response_ms: number
}

const list = async (query: string): Promise<{ total: number; monitors: Item[] }> =>
  (await scene.call('GET', query, undefined, as)).body

/** Checks of seven days by monitor, whose figures must be those of the list. */
async function countChecks(): Promise<Map<string, number>> {
  const { monitors } = await list('?limit=100')
  const counts = monitors.map(async (item) => {
    const { body } = await scene.call('GET', `/${item.id}/stats?period=7d`, undefined, as)
    expect([item.uptime_7d, item.avg_response_ms]).toEqual([body.uptime_percent, body.avg_response_ms])
    return [item.id, body.total_checks] as const
  })
  return new Map(await Promise.all(counts))
}

/** All by the plain way: those without checks are last, ties by id. */
function inOrder(
  monitors: readonly Item[],
  counts: ReadonlyMap<string, number>,
  field: 'uptime_7d' | 'avg_response_ms',
  descending: boolean,
): string[] {
  const figures = monitors.map((item) => {
    const isNone = field === 'uptime_7d' ? counts.get(item.id) === 0 : item.avg_response_ms === 0
    return { id: item.id, value: isNone ? Number.POSITIVE_INFINITY : descending ? -item[field] : item[field] }
  })
  const sorted = figures.toSorted((a, b) => (a.value === b.value ? (a.id < b.id ? 1 : -1) : a.value - b.value))
  return sorted.map(({ id }) => id)
}

async function paged(query: string, limit: number): Promise<string[]> {
  const pages: string[] = []
  for (let page = 1; page <= Math.ceil(COUNT / limit) + 1; page += 1) {
    const { total, monitors } = await list(`?limit=${limit}&page=${page}${query}`)
    expect(total).toBe(query.includes('tag') ? COUNT / 2 : COUNT)
    pages.push(...monitors.map(({ id }) => id))
  }
  return pages
}

async function agrees(): Promise<void> {
  const counts = await countChecks()
  for (const filter of ['', '&tag=even', '&tag=even&status=up']) {
    const { monitors } = await list(`?limit=100${filter}`)
    for (const [sort, field] of [
      ['uptime', 'uptime_7d'],
      ['response_ms', 'avg_response_ms'],
    ] as const)
      for (const direction of ['', '-']) {
        const order = inOrder(monitors, counts, field, direction === '-')
        for (const limit of [5, 100])
          expect(await paged(`&sort=${direction}${sort}${filter}`, limit), `${direction}${sort}${filter}`).toEqual(order)
      }
  }
}

describe('monitors by uptime and by response time', () => {
  it('are in the order of the figures of exactly seven days, whenever the sums were counted [LIST-08]', async () => {
    const { backend } = scene
    expect((await list('?sort=uptime')).total).toBe(COUNT)
    await agrees()
    // Into the first hours of the sums, past them without a new count, and after one.
    for (const minutes of [20, 65, 120]) {
      backend.clock.advance(minutes * 60_000)
      await agrees()
    }
    await compactChecks(backend.pool.db, backend.clock)
    await agrees()
  })

  it('are in the order of a shorter history where the plan has one', async () => {
    const { db } = scene.backend.pool
    const setPlan = (plan: 'free' | 'enterprise') =>
      db.updateTable('organization').set({ plan }).where('number', '=', own.number).execute()
    await setPlan('free')
    const { monitors } = await list('?sort=uptime&limit=100')
    expect(monitors).toHaveLength(COUNT)
    const uptimes = monitors.map(({ uptime_7d }) => uptime_7d)
    expect(uptimes).toEqual(uptimes.toSorted((a, b) => a - b))
    await setPlan('enterprise')
  })
})
