import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openScene, type Scene } from './dom/scene.ts'

describe('an address that names no page', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene()
  })
  afterAll(() => scene?.close())

  it.each(['/nowhere', '/settings/api-keys', '/alerts/rule'])('%s is said not to exist', async (path) => {
    const page = scene.open()
    await page.goto(scene.origin + path)
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
    expect(await page.getByText('does not have access').count()).toBe(0)
  })
})
