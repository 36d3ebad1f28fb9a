import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openScene, type Scene } from './dom/scene.ts'
import { asOwner } from './editors/editor.ts'

describe('alert sources', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene()
  })
  afterAll(() => scene?.close())

  it('are added with an address that is shown once, changed, renewed and deleted', { timeout: 30_000 }, async () => {
    const api = asOwner(scene)
    const page = scene.open()
    await page.goto(`${scene.origin}/alerts/sources`)
    await page.getByText('No alert sources yet').waitFor()
    await page.getByRole('link', { name: 'Add source' }).first().click()
    await page.getByLabel('Sender', { exact: true }).selectOption('Any JSON')
    await page.getByLabel('Name', { exact: true }).fill('Backups')
    await page.getByLabel('Words of the sender').fill('bad = critical')
    await page.getByRole('button', { name: 'Create source' }).click()
    const shown = page.getByRole('dialog', { name: 'Where the sender posts to' })
    const address = (await shown.getByRole('group', { name: 'Address' }).textContent()) ?? ''
    const { pathname } = new URL(address)
    const body = { title: 'Backup failed', severity: 'bad', password: 'hunter2' }
    expect(await scene.backend.call('POST', pathname, { body })).toMatchObject({ status: 200, body: { opened: 1 } })
    await shown.getByRole('button', { name: 'Done' }).click()
    await page.getByText('1 opened, 0 resolved').waitFor()
    expect(await page.getByRole('main').textContent()).not.toContain('hunter2')
    expect((await api.read('/v1/incidents')).incidents).toMatchObject([{ severity: 'critical', rule_id: null }])
    await page.getByLabel('Muted').check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Any JSON · muted').waitFor()
    await page.getByRole('link', { name: 'Backups' }).click()
    await page.getByRole('button', { name: 'New address' }).click()
    const question = page.getByRole('dialog', { name: 'Make a new address?' })
    await question.getByRole('button', { name: 'New address' }).click()
    await page.getByRole('dialog', { name: 'Where the sender posts to' }).getByRole('button', { name: 'Done' }).click()
    expect((await scene.backend.call('POST', pathname, { body })).status).toBe(404)
    await page.goto(`${scene.origin}/alerts/sources`)
    await page.getByRole('button', { name: 'Delete: Backups' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No alert sources yet').waitFor()
    expect((await api.read('/v1/alert-sources')).alert_sources).toEqual([])
  })

  it('are hidden from those who may not manage integrations', async () => {
    const page = await scene.openAs('viewer')
    await page.goto(`${scene.origin}/alerts/rules`)
    await page.getByRole('heading', { level: 1, name: 'Alerts' }).waitFor()
    expect(await page.getByRole('link', { name: 'Sources' }).count()).toBe(0)
  })
})
