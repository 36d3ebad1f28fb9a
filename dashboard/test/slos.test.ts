import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedChecks, seedRegion } from '../../backend/test/seed-checks.ts'
import { asOwner, watchRequests } from './editors/editor.ts'
import { faultsOf, openScene, type Scene } from './dom/scene.ts'

const MINUTE_MS = 60_000
/** Of a day: 3 % of the checks, most of them in the last hour. */
const CHECKS = 1_440
const BAD = 43

describe('SLOs', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  let shop: { id: string }
  let channel: { id: string }
  beforeAll(async () => {
    scene = await openScene({ environment: {} })
    api = asOwner(scene)
    const { backend, organization } = scene
    shop = await api.make('/v1/monitors', { name: 'shop-eu-1', url: 'https://shop.example.com/', tags: ['shop'] })
    channel = await api.make('/v1/channels', { name: 'On call', type: 'webhook', config: { url: 'https://hook.example.com/' } })
    const { number } = await backend.pool.db.selectFrom('monitor').select('number').executeTakeFirstOrThrow()
    const region = await seedRegion(backend, 'ams')
    const checks = Array.from({ length: CHECKS }, (_, index) => ({
      region,
      atMs: backend.clock.now() - (index + 1) * MINUTE_MS,
      outcome: index < BAD ? 2 : 0,
      responseUs: index < BAD ? null : 80_000 + (index % 5) * 60_000,
    }))
    await seedChecks(backend, organization, number, checks)
  })
  afterAll(() => scene?.close())

  it('are created from an empty list, and show what is left of their budget', { timeout: 120_000 }, async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/`)
    await page.getByRole('link', { name: 'SLOs' }).click()
    await page.getByText('No SLOs yet').waitFor()
    await page.getByRole('link', { name: 'Add SLO' }).click()
    await page.getByLabel('Name', { exact: true }).fill(`Shop 0`)
    await page.getByLabel('Search monitors').fill('shop')
    await page.getByRole('button', { name: 'shop-eu-1', exact: true }).click()
    await page.getByLabel('Objective (% of checks)').fill('98')
    await page.getByLabel('On call').check()
    await page.getByRole('button', { name: 'Create SLO' }).click()
    await page.getByRole('heading', { level: 1, name: `Shop 0` }).waitFor()
    await page.getByText('97.013 %').waitFor()
    expect(await page.getByRole('img', { name: 'Budget left: -49.4 %' }).count()).toBe(1)
    await page.getByText('43 of 28.8 allowed').waitFor()
    await page.getByText('The budget is used up.').waitFor()
    await page.getByText('Budget left by day').first().waitFor()
    expect(await page.getByRole('row', { name: /^1 h / }).textContent()).toMatch(/36\.44×14\.4×.*On$/)
    expect(await page.getByRole('row', { name: /^3 d / }).textContent()).toMatch(/1\.49×1×.*On$/)
    const { slos } = await api.read('/v1/slos')
    expect(slos).toMatchObject([
      {
        name: 'Shop 0',
        target: { id: shop.id, tag: null },
        kind: 'availability',
        threshold_ms: null,
        objective: 98,
        window: '30d',
        channel_ids: [channel.id],
        burn_alerts: ['1h', '6h', '3d'],
      },
    ])
  })

  it('are listed with budget, burn rates and state', async () => {
    await api.make('/v1/slos', { name: 'Generous', target: { tag: 'shop' }, objective: 90, window: '7d' })
    await api.make('/v1/slos', { name: 'Unused', target: { tag: 'nothing' }, objective: 99 })
    const latency = {
      kind: 'latency',
      threshold_ms: 1_000,
      burn_alerts: [],
      objective: 95,
      window: 'month',
      time_zone: 'Europe/Berlin',
    }
    await api.make('/v1/slos', { name: 'Fast', target: { tag: 'shop' }, ...latency })
    const page = scene.open()
    await page.goto(`${scene.origin}/slos`)
    const row = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) })
    await row('Shop 0').getByText('Exceeded').waitFor()
    await row('Shop 0').getByText('-49.4 %').waitFor()
    await row('Unused').getByText('No checks').waitFor()
    await row('Generous').getByText('70.1 %').waitFor()
    await row('Generous').getByText('1h 7.29× · 6h 1.20× · 3d 0.30×').waitFor()
    expect(await row('Generous').getByText('Met').count()).toBe(1)
    await row('Fast').getByText('95 % of checks below 1.00 s · Calendar month (Europe/Berlin) · monitors tagged shop').waitFor()
  })

  it('show faults at their fields, and send only what was changed', { timeout: 60_000 }, async () => {
    const { slos } = await api.read('/v1/slos')
    const { id } = slos.find(({ name }: { name: string }) => name === 'Generous')
    const page = scene.open()
    await page.goto(`${scene.origin}/slos/${id}/edit`)
    await page.getByLabel('Good checks are').selectOption('latency')
    await page.getByLabel('Name', { exact: true }).fill('')
    await page.getByLabel('Response time below (ms)').fill('')
    await page.getByLabel('Objective (% of checks)').fill('100')
    await page.getByLabel('Tag', { exact: true }).fill('')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect
      .poll(() => faultsOf(page))
      .toEqual({
        Name: 'Fill this in.',
        Tag: 'Fill this in.',
        'Response time below (ms)': 'Fill this in.',
        'Objective (% of checks)': 'Enter 99.999 or less.',
      })
    await page.getByLabel('Name', { exact: true }).fill('Generous')
    await page.getByLabel('Tag', { exact: true }).fill('shop')
    await page.getByLabel('Response time below (ms)').fill('200')
    await page.getByLabel('Objective (% of checks)').fill('60')
    await page.getByLabel('Period').selectOption('quarter')
    await page.getByLabel('Time zone').selectOption('Europe/Paris')
    await page.getByLabel('14.4×').uncheck()
    const sent = watchRequests(page, 'PATCH')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('60 % of checks below 200 ms').waitFor()
    expect(sent).toEqual([
      {
        path: `/v1/slos/${id}`,
        body: {
          kind: 'latency',
          threshold_ms: 200,
          objective: 60,
          window: 'quarter',
          time_zone: 'Europe/Paris',
          burn_alerts: ['6h', '3d'],
        },
      },
    ])
    expect(await page.getByRole('row', { name: /^1 h / }).textContent()).toMatch(/Off$/)
  })

  it('show their open incidents, whose target leads back', async () => {
    await scene.backend.jobs.evaluateSlos()
    const page = scene.open()
    await page.goto(`${scene.origin}/slos`)
    await page.getByRole('link', { name: 'Shop 0' }).click()
    await page.getByRole('link', { name: /^Shop 0: burn rate 36\.44 over 1h/ }).click()
    await page.getByRole('link', { name: 'Shop 0', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Shop 0' }).waitFor()
    expect(await page.getByRole('link', { name: /^Shop 0: burn rate/ }).count()).toBe(2)
  })

  it('are deleted and restored', { timeout: 60_000 }, async () => {
    await api.make('/v1/slos', { name: 'Shop 1', target: { id: shop.id }, objective: 98, channel_ids: [channel.id] })
    const page = scene.open()
    await page.goto(`${scene.origin}/slos`)
    await page.getByRole('link', { name: 'Shop 1' }).click()
    await page.getByRole('button', { name: 'Delete: Shop 1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Shop 1 deleted').waitFor()
    await expect.poll(() => page.getByRole('link', { name: 'Shop 1' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: 'Shop 1' }).waitFor()
    const { slos } = await api.read('/v1/slos')
    expect(slos[0]).toMatchObject({ name: 'Shop 1', target: { id: shop.id }, objective: 98, channel_ids: [channel.id] })
  })

  it('are read by viewers and closed to their changes', async () => {
    const page = await scene.openAs('viewer')
    await page.goto(`${scene.origin}/slos/add`)
    await page.getByText('Only members, admins and owners can change SLOs.').waitFor()
    await page.getByRole('link', { name: 'SLOs' }).click()
    await page.getByRole('link', { name: 'Shop 0' }).click()
    await page.getByText('43 of 28.8 allowed').waitFor()
    expect(await page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: /^Delete/ }).count()).toBe(0)
    expect(scene.complaints).toEqual([])
  })
})
