import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { openTestIncident } from '../../backend/test/incident.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { openSignedIn, type SignedIn, takePicture } from './signed-in.ts'

const MINUTE = 60_000

describe.skipIf(isMissing('chromium'))('the page of a monitor', () => {
  let scene: SignedIn
  let monitorId: string
  beforeAll(async () => {
    scene = await openSignedIn({ environment: {} })
    const { backend, organization, owner } = scene
    const { pg } = backend.pool
    const now = backend.clock.now()
    const create = async (path: string, body: object) => (await backend.call('POST', path, { as: owner, body })).body
    const monitor = await create('/v1/monitors', { name: 'Shop', url: 'https://shop.example.com/', tags: ['web'] })
    monitorId = monitor.id
    const condition = { metric: 'response_ms', operator: 'greater_than', value: 80 }
    await create('/v1/alert-rules', { name: 'Shop is slow', target: { type: 'monitor', tag: 'web' }, condition })
    const at = (minutes: number) => new Date(now + minutes * MINUTE).toISOString()
    const target = { type: 'monitor', id: monitorId }
    await create('/v1/maintenance-windows', { name: 'Deployment', target, starts_at: at(-300), ends_at: at(-240) })
    // Down from 120 to 60 minutes ago.
    await pg.query(
      `insert into check_result (organization, monitor, region, at, day, outcome, status_code, response_us,
         dns_us, connect_us, tls_us, first_byte_us, transfer_us, error_code, error_message)
       select m.organization, m.number, r.number, a.at, (to_timestamp(a.at / 1000.0) at time zone 'UTC')::date, a.outcome,
         case a.outcome when 0 then 200 end, case a.outcome when 0 then 40000 + (a.n * 7919) % 30000 end,
         case a.outcome when 0 then 2000 end, case a.outcome when 0 then 9000 end, case a.outcome when 0 then 14000 end,
         case a.outcome when 0 then 14000 + (a.n * 7919) % 30000 end, case a.outcome when 0 then 1000 end,
         case a.outcome when 2 then 'connect' end, case a.outcome when 2 then 'refused' end
       from monitor m, region r, (select n, $1::bigint - n * 60000 as at, case when n between 60 and 120 then 2 else 0 end as outcome
         from generate_series(1, 600) as n) as a`,
      [now],
    )
    const columns = '(id, organization, monitor, at, from_status, to_status, reason)'
    for (const [minutes, from, to] of [
      [-120, 'up', 'down'],
      [-60, 'down', 'up'],
    ] as const)
      await pg.query(
        `insert into monitor_transition ${columns} select gen_random_uuid(), organization, number, $1, $2, $3, 'refused' from monitor`,
        [at(minutes), from, to],
      )
    const { rows } = await pg.query<{ id: string }>('select id from monitor')
    const about = { type: 'monitor', id: rows[0]?.id ?? '', name: 'Shop' } as const
    await openTestIncident(backend, organization, {
      summary: 'Shop is slow: 90 ms',
      severity: 'warning',
      target: about,
      atMs: now - 10 * MINUTE,
    })
  })
  afterAll(() => scene?.close())

  /** What the chart says of an instant, as a part of its width. */
  async function noteAt(page: Page, share: number): Promise<string> {
    const plot = page.locator('.u-over').first()
    const box = await plot.boundingBox()
    if (!box) throw new Error('no chart')
    await plot.hover({ position: { x: box.width * share, y: box.height / 2 } })
    return (await page.locator('figcaption span').first().textContent()) ?? ''
  }

  it('shows outages, maintenance and incidents in the chart, its open incident and its rules', async () => {
    const { wide: page } = scene
    await page.goto(`${scene.origin}/monitors/${monitorId}?range=6h`)
    await page.getByText('Shop is slow: 90 ms').first().waitFor()
    await page.getByText('Response time is above 80 ms').waitFor()
    await page.locator('.u-over').first().waitFor()
    await expect.poll(() => noteAt(page, 1 - 90 / 360)).toContain('· Down')
    expect(await noteAt(page, 1 - 270 / 360)).toContain('· Maintenance: Deployment')
    expect(await noteAt(page, 1 - 5 / 360)).toContain('· Shop is slow: 90 ms')
    expect(await noteAt(page, 1 - 180 / 360)).not.toContain('·')
    await takePicture(page, 'monitor')
    // 100 checks are read: one a minute, down from 60 minutes ago.
    await page.getByText('× 59').waitFor()
    await page.getByText('× 41').waitFor()
    await page.getByRole('button', { name: 'Show each check' }).click()
    await expect.poll(() => page.getByRole('group', { name: 'Recent checks' }).getByRole('row').count()).toBe(21)
    await scene.wide.getByRole('link', { name: 'Past incidents' }).click()
    await scene.wide.getByRole('button', { name: /^Of / }).waitFor()
  })

  it('stacks the phases of the response time', async () => {
    const { narrow: page } = scene
    await page.goto(`${scene.origin}/monitors/${monitorId}?range=6h`)
    const chart = page.getByRole('img', { name: /^Phases of the response time/ })
    await chart.scrollIntoViewIfNeeded()
    await expect
      .poll(() => chart.getAttribute('aria-label'))
      .toMatch(/Transfer 1\.0 ms, First byte \d\d ms, TLS 14 ms, Connect 9\.0 ms, DNS 2\.0 ms/)
    await takePicture(page, 'phases')
    expect(scene.complaints).toEqual([])
  })
})
