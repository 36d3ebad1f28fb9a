import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seedChecks } from '../../backend/test/seed-checks.ts'
import { openScene, type Scene } from './dom/scene.ts'
import { asOwner } from './editors/editor.ts'

let scene: Scene
beforeAll(async () => {
  scene = await openScene({ environment: {} })
})
afterAll(() => scene?.close())

it('a downtime is reclassified from the status history, the page says so, and it is taken back', async () => {
  const { backend, organization, origin } = scene
  const { db } = backend.pool
  const { id } = await asOwner(scene).make('/v1/monitors', { name: 'Shop', url: 'https://shop.example.com/' })
  const { number } = await db.selectFrom('monitor').select('number').executeTakeFirstOrThrow()
  const { region } = await db.selectFrom('check_schedule').select('region').executeTakeFirstOrThrow()
  const at = (minutes: number) => backend.clock.now() - minutes * 60_000
  const change = async (minutes: number, from: 'up' | 'down', to: 'up' | 'down') => {
    const row = { organization: organization.number, monitor: number, id: randomUUID(), from_status: from, to_status: to }
    await db
      .insertInto('monitor_transition')
      .values({ ...row, reason: 'status 503', at: new Date(at(minutes)) })
      .execute()
  }
  // The page of a new monitor shows a shorter time.
  await db
    .updateTable('monitor')
    .set({ created_at: new Date(at(1_440)) })
    .execute()
  await change(60, 'up', 'down')
  await change(30, 'down', 'up')
  const checks = [50, 40, 20].map((minutes) => ({
    region,
    atMs: at(minutes),
    outcome: minutes > 30 ? 2 : 0,
    responseUs: minutes > 30 ? null : 1_000,
  }))
  await seedChecks(backend, organization, number, checks)
  const page = scene.open()
  await page.goto(`${origin}/monitors/${id}`)
  await page.getByRole('button', { name: /^Reclassify what began on/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Reclassify an interval' })
  await dialog.getByLabel('Why').fill('announced')
  await dialog.getByRole('button', { name: 'Reclassify' }).click()
  await page.getByText('Interval reclassified').waitFor()
  const rows = () => db.selectFrom('reclassification').select(['from_at', 'to_at', 'counts_as', 'comment']).execute()
  expect(await rows()).toEqual([
    { from_at: new Date(at(60)), to_at: new Date(at(30)), counts_as: 'maintenance', comment: 'announced' },
  ])
  await page.getByText(/^1 interval reclassified by .+ on /).waitFor()

  await page.getByRole('button', { name: 'Reclassified' }).click()
  const list = page.getByRole('dialog', { name: 'Reclassified intervals' })
  await list.getByText('announced').waitFor()
  await list.getByRole('button', { name: /^Take back/ }).click()
  await list.getByText('No interval of this monitor is reclassified.').waitFor()
  expect(await rows()).toEqual([])
})
