import { DAY_MS, toTimestamp } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { watch } from '../../backend/test/watched-monitor.ts'
import { factsOf, one } from '../../backend/test/seen-certificates.ts'
import { openScene, type Scene } from './dom/scene.ts'
import { asOwner } from './editors/editor.ts'

describe('certificates', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene()
  })
  afterAll(() => scene?.close())

  it('are listed by the soonest end, with their chain and monitors on a page of each', { timeout: 30_000 }, async () => {
    const now = scene.backend.clock.now()
    const { bring } = await watch(scene.backend, scene.owner)
    const leaf = one({ name: 'shop.example.com', notBeforeMs: now - 10 * DAY_MS })
    const intermediate = one({
      name: 'E7',
      issuer: 'ISRG Root X1',
      keyType: 'rsa',
      keyBits: 1_024,
      notAfterMs: now + 5.5 * DAY_MS,
    })
    await bring('up', { certificate: factsOf(leaf, [intermediate]) })
    await asOwner(scene).make('/v1/certificates', { name: 'Code signing', not_after: toTimestamp(now + 200.5 * DAY_MS) })
    const page = scene.open()
    await page.goto(`${scene.origin}/certificates`)
    await page.getByText('5 days left').waitFor()
    await page.getByText('200 days left').waitFor()
    const text = (await page.locator('main').textContent()) ?? ''
    expect(text.indexOf('shop.example.com')).toBeLessThan(text.indexOf('Code signing'))
    expect(text).toContain("E7, Let's Encrypt")
    expect(text).toContain('(intermediate)')
    expect(text).toContain('1 monitor · weak')
    await page.getByRole('link', { name: 'shop.example.com' }).click()
    await page.getByRole('group', { name: 'Chain', exact: true }).getByText('ISRG Root X1').waitFor()
    await page.getByText('RSA key of 1024 bits of the intermediate E7').waitFor()
    await page.getByRole('group', { name: 'Where it is seen' }).getByRole('link', { name: 'Shop' }).waitFor()
    expect(await page.getByRole('button', { name: 'Edit' }).count()).toBe(0)
  })

  it('in files are on the page of the server, with those that cannot be read', { timeout: 30_000 }, async () => {
    const { id, as } = await scene.backend.server(scene.organization)
    const leaf = one({ name: 'tomcat.example.com', notAfterMs: scene.backend.clock.now() + 3.5 * DAY_MS })
    const body = {
      certificates: [{ path: '/etc/tomcat.p12', certificate: factsOf(leaf) }],
      unreadable_certificates: [{ path: '/etc/locked.p12', reason: 'it needs a password (password_file)' }],
    }
    expect((await scene.backend.call('PUT', '/v1/agent/facts', { as, body })).status).toBe(204)
    const page = scene.open()
    await page.goto(`${scene.origin}/servers/${id}`)
    await page.getByText('/etc/locked.p12').waitFor()
    await page.getByRole('link', { name: 'tomcat.example.com' }).click()
    await page.getByRole('group', { name: 'Where it is seen' }).getByText('/etc/tomcat.p12').waitFor()
  })

  it('are added, changed and deleted by hand', { timeout: 30_000 }, async () => {
    const api = asOwner(scene)
    const page = scene.open()
    await page.goto(`${scene.origin}/certificates`)
    await page.getByRole('button', { name: 'Add certificate' }).first().click()
    const adding = page.getByRole('dialog', { name: 'Add certificate' })
    await adding.getByLabel('Name', { exact: true }).fill('VPN')
    await adding.getByLabel('Ends').fill('2030-03-31T12:00')
    await adding.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('link', { name: 'VPN' }).click()
    await page.getByRole('button', { name: 'Edit' }).click()
    const editing = page.getByRole('dialog', { name: 'VPN' })
    await editing.getByLabel('Name', { exact: true }).fill('VPN of Berlin')
    await editing.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'VPN of Berlin' }).waitFor()
    const named = async () => (await api.read('/v1/certificates?q=VPN')).certificates
    expect(await named()).toMatchObject([
      { name: 'VPN of Berlin', source: 'manual', not_after: expect.stringMatching(/^2030-03-31T/) },
    ])
    await page.getByRole('button', { name: 'Delete: VPN of Berlin' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Add certificate' }).waitFor()
    expect(await named()).toEqual([])
  })
})
