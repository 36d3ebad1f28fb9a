import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOwner } from './editors/editor.ts'
import { openScene, type Scene } from './dom/scene.ts'

describe('the audit log', () => {
  let scene: Scene
  let shop: { id: string }
  beforeAll(async () => {
    scene = await openScene({ environment: {} })
    const api = asOwner(scene)
    shop = await api.make('/v1/monitors', { name: 'shop-eu-1', url: 'https://shop.example.com/' })
    await api.make('/v1/monitors', { name: 'mail-eu-1', url: 'https://mail.example.com/' })
  })
  afterAll(() => scene?.close())

  it('names what was changed, leads to it, and is searched by text and days', { timeout: 60_000 }, async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/settings/audit`)
    await page.getByRole('link', { name: 'mail-eu-1' }).waitFor()
    expect(await page.getByRole('link', { name: 'shop-eu-1' }).getAttribute('href')).toBe(`/monitors/${shop.id}`)
    await page.getByLabel('Search the audit log').fill('shop-eu')
    await expect.poll(() => page.getByRole('link', { name: 'mail-eu-1' }).count()).toBe(0)
    await page.getByRole('link', { name: 'shop-eu-1' }).waitFor()
    await page.goto(`${scene.origin}/settings/audit?to=2020-01-01`)
    await expect.poll(() => page.getByLabel('To').inputValue()).toBe('2020-01-01')
    await expect.poll(() => page.getByRole('link', { name: 'shop-eu-1' }).count()).toBe(0)
    await page.goto(`${scene.origin}/settings/audit?q=shop-eu&from=2020-01-01`)
    await page.getByRole('link', { name: 'shop-eu-1' }).waitFor()
  })
})
