import { afterAll, beforeAll, expect, it } from 'vitest'
import { openScene, type Scene } from './dom/scene.ts'
import { asOwner } from './editors/editor.ts'

let scene: Scene
beforeAll(async () => {
  scene = await openScene({ environment: {} })
})
afterAll(() => scene?.close())

it('active hours are added in the editor, and the page says when a monitor is active again', async () => {
  const { id } = await asOwner(scene).make('/v1/monitors', { name: 'Till', url: 'https://till.example.com/' })
  const page = scene.open()
  await page.goto(`${scene.origin}/monitors/${id}/edit`)
  await page.getByText('Active hours').first().click()
  await page.getByRole('button', { name: 'Add hours' }).click()
  await page.getByRole('group', { name: 'Only in these hours' }).getByLabel('To', { exact: true }).fill('09:00')
  await page.getByRole('button', { name: 'Save' }).click()
  const { db } = scene.backend.pool
  const stored = async () => (await db.selectFrom('monitor').select('active_hours').executeTakeFirstOrThrow()).active_hours
  const days = ['MO', 'TU', 'WE', 'TH', 'FR']
  await expect.poll(stored).toEqual([{ time_zone: expect.any(String), days, from: '09:00', to: '09:00' }])

  // Only in the first hour of one day of the week, which is not now.
  const tomorrow = new Date(scene.backend.clock.now() + 2 * 86_400_000).getUTCDay()
  const day = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'][tomorrow]
  const active_hours = [{ time_zone: 'UTC', days: [day], from: '00:00', to: '01:00' }]
  const { id: idle } = await asOwner(scene).make('/v1/monitors', { name: 'Idle', url: 'https://idle.example.com/', active_hours })
  await page.goto(`${scene.origin}/monitors/${idle}`)
  await page.getByText('Outside active hours').first().waitFor()
  await page.getByText(/Active again from /).waitFor()
  await page.getByText(/00:00–01:00 \(UTC\)/).waitFor()
  await page.goto(`${scene.origin}/monitors?status=idle`)
  await page.getByText('Idle').first().waitFor()
  expect(scene.complaints).toEqual([])
})
