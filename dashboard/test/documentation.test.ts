import { afterAll, beforeAll, expect, it } from 'vitest'
import { openScene, type Scene } from './dom/scene.ts'
import { asOwner } from './editors/editor.ts'

let scene: Scene
beforeAll(async () => {
  scene = await openScene({ environment: {} })
})
afterAll(() => scene?.close())

const HOSTILE = '<img src=x onerror=alert(1)> [open](javascript:alert(1)) [the log](https://logs.example.com/shop) `rm -rf`'

it('the page of a monitor shows its description with links and code, and HTML as text', async () => {
  const links = [{ name: 'Dashboard', url: 'https://grafana.example.com/' }]
  const body = {
    name: 'Shop',
    url: 'https://shop.example.com/',
    description: HOSTILE,
    runbook_url: 'https://wiki.example.com/',
    links,
  }
  const { id } = await asOwner(scene).make('/v1/monitors', body)
  const page = scene.open()
  await page.goto(`${scene.origin}/monitors/${id}`)
  await page.getByText('<img src=x onerror=alert(1)>').first().waitFor()
  for (const [name, href] of [
    ['the log', 'https://logs.example.com/shop'],
    ['https://wiki.example.com/', 'https://wiki.example.com/'],
    ['Dashboard', 'https://grafana.example.com/'],
  ] as const)
    expect(await page.locator('main').getByRole('link', { name }).getAttribute('href')).toBe(href)
  expect(await page.locator('main').locator('[href^="javascript"], [onerror], img[src="x"]').count()).toBe(0)
  expect(scene.complaints).toEqual([])
})

it('is written in the editor of a monitor', async () => {
  const { id } = await asOwner(scene).make('/v1/monitors', { name: 'Till', url: 'https://till.example.com/' })
  const page = scene.open()
  await page.goto(`${scene.origin}/monitors/${id}/edit`)
  await page.getByText('Description and runbook').click()
  await page.getByLabel('Description', { exact: true }).fill('Ring Ada.')
  await page.getByLabel('Runbook', { exact: true }).fill('https://wiki.example.com/till')
  await page.getByLabel('Responsible').fill('Ada')
  await page.getByRole('button', { name: 'Add link' }).click()
  await page.getByLabel('Name of the link').fill('Logs')
  await page.getByLabel('Address of the link').fill('https://logs.example.com/till')
  await page.getByRole('button', { name: 'Save' }).click()
  const rows = () =>
    scene.backend.pool.db
      .selectFrom('monitor')
      .select(['description', 'runbook_url', 'responsible', 'links'])
      .where('name', '=', 'Till')
      .execute()
  await expect.poll(rows).toEqual([
    {
      description: 'Ring Ada.',
      runbook_url: 'https://wiki.example.com/till',
      responsible: 'Ada',
      links: [{ name: 'Logs', url: 'https://logs.example.com/till' }],
    },
  ])
})
