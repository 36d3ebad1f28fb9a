import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { registration } from '../../backend/test/harness.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { pageDefects } from './browser.ts'
import { openSignedIn, type SignedIn, takePicture } from './signed-in.ts'

/** All that the browser stores outside of the tab, and the address. */
const OUTSIDE = 'JSON.stringify(localStorage) + document.cookie + location.href + JSON.stringify(history.state)'
const KEPT = `sessionStorage.getItem('vedette-enrollment')`

describe.skipIf(isMissing('chromium'))('the first run', () => {
  let scene: SignedIn
  beforeAll(async () => {
    scene = await openSignedIn()
  })
  afterAll(() => scene?.close())

  const commands = (page: Page) => page.getByLabel('Run this on the host', { exact: true })
  const createToken = (page: Page) => page.getByRole('button', { name: 'Create token' })
  const tokenOn = async (page: Page): Promise<string> =>
    /'(vdt_enr_\w+)'/.exec((await commands(page).textContent()) ?? '')?.[1] ?? 'none'

  async function openWithToken(page: Page): Promise<string> {
    await page.goto(`${scene.origin}/servers/add`)
    await createToken(page).click()
    return tokenOn(page)
  }

  it('keeps the enrollment token over a reload, and nowhere outside of the tab', async () => {
    for (const page of [scene.wide, scene.narrow]) {
      const token = await openWithToken(page)
      expect(token).toMatch(/^vdt_enr_/)
      await page.reload()
      expect(await tokenOn(page)).toBe(token)
      await page.getByText('up to 10 servers').waitFor()
      expect(await page.evaluate(OUTSIDE)).not.toContain(token)
      expect(await pageDefects(page)).toEqual([])
      await takePicture(page, 'add-server')
    }
  })

  it('counts what the token can still register, and waits for the next server with the same one', async () => {
    const { backend, wide: page } = scene
    const token = await tokenOn(page)
    const as = { 'x-api-key': token }
    const { body } = await backend.call('POST', '/v1/agent/register', { as, body: registration('second') })
    const at = new Date(backend.clock.now()).toISOString()
    const sample = { at, cpu: { percent: 12.5 } }
    const batch = { batch_id: crypto.randomUUID(), sent_at: at, agent_version: '0.1.0', samples: [sample] }
    const pushed = await backend.call('POST', '/v1/agent/metrics', { as: { 'x-api-key': body.token }, body: batch })
    expect(pushed.status).toBe(202)
    await page.reload()
    await page.getByText('is connected').waitFor()
    await page.getByText('up to 9 servers').waitFor()
    await page.getByRole('button', { name: 'Add another' }).click()
    await page.getByText('Waiting for the first sample').waitFor()
    expect(await tokenOn(page)).toBe(token)
  })

  it('drops a token that was revoked, and says so', async () => {
    const { backend, owner, wide: page } = scene
    const { body } = await backend.call('GET', '/v1/enrollment-tokens', { as: owner })
    for (const { id } of body.enrollment_tokens) await backend.call('DELETE', `/v1/enrollment-tokens/${id}`, { as: owner })
    await page.reload()
    await page.getByText('The token has ended').waitFor()
    await createToken(page).waitFor()
    expect(await page.evaluate(KEPT)).toBeNull()
  })

  it('drops the token when the organization changes', async () => {
    const { backend, owner, wide: page } = scene
    await backend.call('POST', '/v1/organizations', { as: owner, body: { name: 'Other' } })
    await openWithToken(page)
    await page.getByRole('button', { name: /^Organization/ }).click()
    await page.getByRole('menuitemradio', { name: 'Other' }).click()
    await page.getByRole('button', { name: /Other$/ }).waitFor()
    await expect.poll(() => page.evaluate(KEPT)).toBeNull()
  })

  it('drops the token at the sign-out', async () => {
    const { wide } = scene
    await openWithToken(wide)
    expect(await wide.evaluate(KEPT)).toContain('vdt_enr_')
    await wide.getByRole('button', { name: /^Account/ }).click()
    await wide.getByRole('menuitem', { name: 'Sign out' }).click()
    await wide.getByLabel('Email', { exact: true }).waitFor()
    expect(await wide.evaluate(KEPT)).toBeNull()
  })

  it('reports no fault of a script', () => expect(scene.complaints).toEqual([]))
})
