import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../scripts/test-tools.ts'
import { asOwner, createPages } from './editors/editor.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

describe.skipIf(isMissing('chromium'))('leaving a page', () => {
  let scene: SignedIn
  let api: ReturnType<typeof asOwner>
  const pages = createPages(() => scene)
  beforeAll(async () => {
    scene = await openSignedIn()
    api = asOwner(scene)
  })
  afterAll(() => scene?.close())

  const make = async (name: string): Promise<string> =>
    (await api.make('/v1/monitors', { name, url: 'https://shop.example.com/' })).id
  const nameOf = (page: Page) => page.getByLabel('Name').first()

  it('asks before unsaved changes are left, by a link and by the back button', async () => {
    const id = await make('Unchanged')
    for (const page of [scene.wide, scene.narrow]) {
      await page.goto(`${scene.origin}/monitors/${id}`)
      await page.getByRole('link', { name: 'Edit' }).click()
      const name = page.getByLabel('Name').first()
      const question = page.getByRole('dialog', { name: 'Discard your changes?' })
      await name.waitFor()
      const incidents = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Incidents' })
      await name.fill('Lost')
      await incidents.click()
      await question.waitFor()
      await question.getByRole('button', { name: 'Keep editing' }).click()
      expect(await name.inputValue()).toBe('Lost')
      await page.goBack()
      await question.getByRole('button', { name: 'Keep editing' }).click()
      expect(await name.inputValue()).toBe('Lost')
      await incidents.click()
      await question.getByRole('button', { name: 'Discard' }).click()
      await expect.poll(() => page.title()).toContain('Incidents')
      await page.goBack()
      await expect.poll(() => name.inputValue()).toBe('Unchanged')
      // Nothing to save, nothing to ask.
      await incidents.click()
      await expect.poll(() => page.title()).toContain('Incidents')
    }
  })

  it('asks before a change is left by a link, by the back button and by a reload, and for nothing else', async () => {
    const id = await make('Left alone')
    const page = await pages.narrow()
    await page.goto(scene.origin)
    await page.goto(`${scene.origin}/monitors/${id}/edit`)
    await nameOf(page).waitFor()
    const question = page.getByRole('dialog', { name: 'Discard your changes?' })
    const servers = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Servers' })
    await nameOf(page).fill('Left alone, changed')
    await servers.tap()
    await question.waitFor()
    await page.keyboard.press('Escape')
    await question.waitFor({ state: 'detached' })
    expect(await nameOf(page).inputValue()).toBe('Left alone, changed')
    const beforeUnload = page.waitForEvent('dialog')
    // `page.reload` would wait for a page that never comes.
    await page.evaluate('setTimeout(() => location.reload())')
    const dialog = await beforeUnload
    expect(dialog.type()).toBe('beforeunload')
    await dialog.dismiss()
    // What was typed and taken back is no change.
    await nameOf(page).fill('Left alone')
    await servers.tap()
    await expect.poll(() => page.title()).toContain('Servers')
  })

  /** What shows each secret, and its form. */
  const SECRETS = [
    [
      'an API key',
      /^vdt_key_\w+$/,
      async (page: Page) => {
        await page.goto(`${scene.origin}/settings/keys`)
        await page.getByRole('button', { name: 'Create key' }).click()
        await page.getByRole('dialog').getByLabel('Name').fill('kept')
        await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
      },
    ],
    [
      'the link of an invitation',
      /^http\S+token=\S+$/,
      async (page: Page) => {
        await page.goto(`${scene.origin}/settings/members`)
        await page.getByRole('button', { name: 'Invite' }).click()
        await page.getByRole('dialog').getByLabel('Email').fill(`guest${crypto.randomUUID()}@example.com`)
        await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
      },
    ],
    [
      'the token of a server',
      /vdt_srv_\w+/,
      async (page: Page) => {
        const { id } = await scene.backend.server(scene.organization, crypto.randomUUID())
        await page.goto(`${scene.origin}/servers/${id}`)
        await page.getByRole('button', { name: 'Edit', exact: true }).click()
        await page.getByRole('menuitem', { name: 'Regenerate token' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Regenerate token' }).click()
      },
    ],
  ] as const

  it.each(SECRETS)('%s stays until its button is pressed, whatever else is', async (_of, pattern, show) => {
    const page = await (_of === 'an API key' ? pages.narrow() : pages.wide())
    await show(page)
    const secret = page.getByRole('dialog').getByText(pattern).first()
    await secret.waitFor()
    const { pathname } = new URL(page.url())
    for (const key of ['Escape', 'Escape', 'Control+k', 'Escape', 'g', 'm', 'g', 's', '?', '/']) await page.keyboard.press(key)
    if (page.viewportSize()?.width === 390) await page.touchscreen.tap(5, 5)
    else await page.mouse.click(5, 5)
    expect([await secret.isVisible(), new URL(page.url()).pathname]).toEqual([true, pathname])
    expect(await page.getByRole('dialog').count()).toBe(1)
    await page.getByRole('button', { name: 'Done' }).click()
    await secret.waitFor({ state: 'detached' })
    expect(await page.content()).not.toMatch(/vdt_(?:key|srv)_\w{20}|token=\w{20}/)
  })

  it('causes no fault of a script', () => expect(scene.complaints).toEqual([]))
})
