import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedChecks } from '../../backend/test/seed-checks.ts'
import { asOwner } from './editors/editor.ts'
import { openScene, type Scene } from './dom/scene.ts'

describe('a check at once', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene({ environment: {} })
  })
  afterAll(() => scene?.close())

  /** As a worker does what the schedule says is due. */
  async function runDueCheck(name: string): Promise<void> {
    const { db } = scene.backend.pool
    const due = () =>
      db
        .selectFrom('check_schedule as s')
        .innerJoin('monitor as m', 'm.number', 's.monitor')
        .select(['s.monitor', 's.region'])
        .where('m.name', '=', name)
        .where('s.due_at', '<=', scene.backend.clock.now())
        .executeTakeFirst()
    await expect.poll(due).toBeDefined()
    const { monitor, region } = (await due()) as { monitor: number; region: number }
    const atMs = scene.backend.clock.now()
    await seedChecks(scene.backend, scene.organization, monitor, [{ region, atMs, outcome: 0, responseUs: 123_000 }])
  }

  async function makeMonitor(name: string): Promise<string> {
    const { id } = await asOwner(scene).make('/v1/monitors', { name, url: 'https://shop.example.com/' })
    await scene.backend.pool.db
      .updateTable('check_schedule')
      .set({ due_at: scene.backend.clock.now() + 30_000 })
      .execute()
    return id
  }

  it('is a button on the page of a monitor, which shows the result without a reload', async () => {
    const id = await makeMonitor('Shop')
    const page = scene.open()
    await page.goto(`${scene.origin}/monitors/${id}`)
    await page.getByRole('button', { name: 'Check now' }).click()
    await page.getByRole('button', { name: 'Checking …' }).waitFor()
    await runDueCheck('Shop')
    await page.getByText('Shop was checked: Up').waitFor()
    await page.getByText('123 ms').first().waitFor()
    await page.getByRole('button', { name: 'Check now' }).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    expect(await page.getByRole('button', { name: 'Check now' }).count()).toBe(0)
    expect(scene.complaints).toEqual([])
  })

  it('is an action of the palette', async () => {
    await makeMonitor('Till')
    const page = scene.open()
    await page.goto(`${scene.origin}/incidents`)
    await page.getByRole('button', { name: 'Search everything (Ctrl K)' }).first().click()
    await page.getByRole('dialog').getByRole('combobox').fill('check till')
    await page.getByRole('option', { name: 'Check Till now' }).click()
    await runDueCheck('Till')
    await page.getByText('Till was checked: Up').waitFor()
    expect(scene.complaints).toEqual([])
  })
})
