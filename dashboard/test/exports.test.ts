import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openScene, type Scene } from './dom/scene.ts'
import { asOwner } from './editors/editor.ts'

describe('exports', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene()
  })
  afterAll(() => scene?.close())

  it('are added, changed without their secrets, and deleted in the settings', { timeout: 30_000 }, async () => {
    const api = asOwner(scene)
    const page = scene.open()
    await page.goto(`${scene.origin}/settings/keys`)
    await page.getByText('Nothing is sent on').waitFor()
    await page.getByRole('button', { name: 'Add export' }).first().click()
    const adding = page.getByRole('dialog', { name: 'Add export' })
    await adding.getByLabel('Name', { exact: true }).fill('Store')
    await adding.getByLabel('Protocol').selectOption('OTLP')
    await adding.getByLabel('URL').fill('https://metrics.example.com/v1/metrics')
    await adding.getByLabel('Headers').fill('Authorization: Bearer abc')
    await adding.getByRole('button', { name: 'Save' }).click()
    await page.getByText('OTLP · https://metrics.example.com/v1/metrics').waitFor()
    await page.getByText('Nothing has been sent yet').waitFor()
    const row = page.getByRole('listitem').filter({ hasText: 'metrics.example.com' })
    await row.getByRole('button', { name: 'Edit' }).click()
    const editing = page.getByRole('dialog', { name: 'Store' })
    expect(await editing.getByLabel('Headers').inputValue()).toBe('Authorization: •••')
    await editing.getByLabel('Enabled').uncheck()
    await editing.getByLabel('Samples of hosts').uncheck()
    await editing.getByRole('button', { name: 'Save' }).click()
    await page.getByText('· disabled').waitFor()
    const read = async () => (await api.read('/v1/exports')).exports
    expect(await read()).toMatchObject([
      { name: 'Store', kind: 'otlp', enabled: false, samples: ['entities', 'series'], headers: { Authorization: '•••' } },
    ])
    await row.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog', { name: 'Delete export?' }).getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Nothing is sent on').waitFor()
    expect(await read()).toEqual([])
  })
})
