import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../scripts/test-tools.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

describe.skipIf(isMissing('chromium'))('forms', () => {
  let scene: SignedIn
  beforeAll(async () => {
    scene = await openSignedIn()
  })
  afterAll(() => scene?.close())

  it('a double click creates one API key, and only its button closes the secret', async () => {
    const { wide: page, origin, backend, owner } = scene
    await page.goto(`${origin}/settings/keys`)
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('wallboard')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).dblclick()
    const secret = page.getByText(/^vdt_key_\w+$/)
    await secret.waitFor()
    for (const key of ['Escape', 'Escape']) await page.keyboard.press(key)
    await page.mouse.click(5, 5)
    expect(await secret.isVisible()).toBe(true)
    const { body } = await backend.call('GET', '/v1/api-keys', { as: owner })
    expect(body.api_keys.map(({ name }: { name: string }) => name)).toEqual(['wallboard'])
    await page.getByRole('button', { name: 'Done' }).click()
    await secret.waitFor({ state: 'detached' })
  })

  it('reports no fault of a script', () => expect(scene.complaints).toEqual([]))
})
