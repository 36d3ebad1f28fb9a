import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestIncident } from '../../backend/test/incident.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

describe.skipIf(isMissing('chromium'))('the title of the window', () => {
  let scene: SignedIn
  beforeAll(async () => {
    scene = await openSignedIn()
  })
  afterAll(() => scene?.close())

  it('and its icon show the number of open incidents on every page, and not after the sign-out', async () => {
    const { wide: page, origin, backend, organization } = scene
    const icon = () => page.locator('link[rel="icon"]').getAttribute('href')
    await page.goto(`${origin}/servers`)
    await expect.poll(() => page.title()).toBe('Servers · Vedette')
    expect(await icon()).toBe('/icon.svg')
    await openTestIncident(backend, organization)
    await page.reload()
    await expect.poll(() => page.title()).toBe('(1) Servers · Vedette')
    expect(decodeURIComponent((await icon()) ?? '')).toContain('>1</text>')
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Monitors' }).click()
    await expect.poll(() => page.title()).toBe('(1) Monitors · Vedette')
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Password').waitFor()
    expect(await page.title()).not.toContain('(1)')
    expect(await icon()).toBe('/icon.svg')
    expect(scene.complaints).toEqual([])
  })
})
