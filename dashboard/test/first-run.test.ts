import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LOCAL_TARGETS } from '../../backend/test/alert-fixture.ts'
import { registration } from '../../backend/test/harness.ts'
import { type Receiver, startReceiver } from '../../backend/test/receiver.ts'
import { openScene, type Page, type Scene } from './dom/scene.ts'

/** All that the browser stores outside of the tab, and the address. */
const OUTSIDE = 'JSON.stringify(localStorage) + document.cookie + location.href + JSON.stringify(history.state)'
const KEPT = `sessionStorage.getItem('vedette-enrollment')`

describe('the first run', () => {
  let scene: Scene
  let receiver: Receiver
  let page: Page
  beforeAll(async () => {
    receiver = await startReceiver()
    scene = await openScene({ environment: LOCAL_TARGETS })
    page = scene.open()
  })
  afterAll(async () => {
    await scene?.close()
    await receiver?.close()
  })

  async function push(token: string): Promise<void> {
    const at = new Date(scene.backend.clock.now()).toISOString()
    const body = { batch_id: crypto.randomUUID(), sent_at: at, agent_version: '0.1.0', samples: [{ at, cpu: { percent: 12.5 } }] }
    const { status } = await scene.backend.call('POST', '/v1/agent/metrics', { as: { 'x-api-key': token }, body })
    expect(status).toBe(202)
  }

  const steps = (page: Page) =>
    page
      .getByRole('main')
      .getByRole('listitem')
      .filter({ hasText: /: (done|open)/ })
  const stepsOf = async (page: Page): Promise<string[]> =>
    (await steps(page).allTextContents()).map((step) => /: (done|open)/.exec(step)?.[1] ?? '')

  it('begins with first steps, of which each ticks itself', async () => {
    const { backend, organization, owner, origin } = scene
    const shows = async (expected: string[]) => {
      await page.goto(origin)
      await expect.poll(() => stepsOf(page)).toEqual(expected)
    }
    const open = 'open'
    await shows([open, open, open, open, open])
    const as = await backend.apiKey(organization, 'agent')
    const { body: host } = await backend.call('POST', '/v1/agent/register', { as, body: registration('host') })
    // Without a reload, as the first server is waited for.
    await page.getByText('Waiting for its first sample').waitFor()
    await push(host.token)
    await expect.poll(() => stepsOf(page)).toEqual(['done', open, open, open, open])
    await backend.call('POST', '/v1/agent/register', { as, body: registration('other') })
    await backend.call('POST', '/v1/monitors', { as: owner, body: { name: 'Shop', url: 'https://example.com/' } })
    await shows(['done', 'done', 'done', open, open])
    const hook = { name: 'Hook', type: 'webhook', config: { url: receiver.url } }
    await backend.call('POST', '/v1/channels', { as: owner, body: hook })
    await page.reload()
    await page.getByRole('link', { name: 'Test channel' }).click()
    receiver.answer((response) => void response.writeHead(500).end())
    await page.getByRole('button', { name: 'Send test: Hook' }).click()
    await page.getByText('answered 500').first().waitFor()
    await page.getByRole('button', { name: 'Close' }).first().click()
    await shows(['done', 'done', 'done', open, open])
    receiver.answer((response) => void response.writeHead(204).end())
    await page.getByRole('link', { name: 'Test channel' }).click()
    await page.getByRole('button', { name: 'Send test: Hook' }).click()
    await page.getByRole('button', { name: 'Close' }).first().click()
    await page.getByRole('link', { name: 'Overview' }).click()
    await expect.poll(() => stepsOf(page)).toEqual(['done', 'done', 'done', 'done', open])
  })

  it('hides the first steps for this person and organization, with an undo, and when all are done', async () => {
    const { backend, origin } = scene
    await page.getByRole('button', { name: 'Hide', exact: true }).click()
    await expect.poll(() => steps(page).count()).toBe(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => steps(page).count()).toBe(5)
    await page.getByRole('button', { name: 'Hide', exact: true }).click()
    await page.reload()
    await page.getByText('Everything at a glance').waitFor()
    expect(await steps(page).count()).toBe(0)
    const other = scene.open()
    await other.goto(origin)
    await expect.poll(() => steps(other).count()).toBe(5)
    const at = new Date(backend.clock.now())
    await backend.pool.pg.query(`insert into setting (name, value, updated_at) values ('last_export', '""', $1)`, [at])
    await other.reload()
    await other.getByText('Everything at a glance').waitFor()
    await expect.poll(() => other.evaluate(`localStorage.getItem('vedette-preferences')`)).toContain('usr_')
    expect(await steps(other).count()).toBe(0)
  })

  const commands = (page: Page) => page.getByLabel('Run this on the host', { exact: true })
  const createToken = (page: Page) => page.getByRole('button', { name: 'Create token' })
  const tokenOn = async (page: Page): Promise<string> =>
    /(vdt_enr_\w+)/.exec((await commands(page).textContent()) ?? '')?.[1] ?? 'none'

  async function openWithToken(page: Page): Promise<string> {
    await page.goto(`${scene.origin}/servers/add`)
    await createToken(page).click()
    return tokenOn(page)
  }

  it('keeps the enrollment token over a reload, and nowhere outside of the tab', async () => {
    page = scene.open()
    const token = await openWithToken(page)
    expect(token).toMatch(/^vdt_enr_/)
    await page.reload()
    expect(await tokenOn(page)).toBe(token)
    await page.getByText('up to 10 servers').waitFor()
    expect(await page.evaluate(OUTSIDE)).not.toContain(token)
  })

  it('shows the line that installs the agent from here, and no line while the script cannot be had', async () => {
    let status = 503
    await page.route('**/install.sh', (route) => (status === 200 ? route.continue() : route.fulfill({ status })))
    await page.reload()
    const retry = page.getByRole('alert').getByRole('button', { name: 'Try again' })
    await retry.waitFor()
    expect(await commands(page).count()).toBe(0)
    status = 200
    await retry.click()
    await expect
      .poll(() => commands(page).textContent())
      .toMatch(/^curl -fsSL http:\S+\/install\.sh \| sudo sh -s -- (--url \S+ )?vdt_enr_\w+$/)
    await page.unroute('**/install.sh')
  })

  it('counts what the token can still register, and waits for the next server with the same one', async () => {
    const { backend } = scene
    const token = await tokenOn(page)
    const as = { 'x-api-key': token }
    const { body } = await backend.call('POST', '/v1/agent/register', {
      as,
      body: registration('second', { sources: { containers: true, ups: false } }),
    })
    await push(body.token)
    await page.reload()
    await page.getByText('is connected').waitFor()
    await page.getByText('up to 9 servers').waitFor()
    const containers = page.getByRole('switch', { name: 'Containers' })
    await containers.waitFor()
    expect([await containers.isChecked(), await page.getByRole('switch', { name: 'UPS' }).isDisabled()]).toEqual([true, true])
    await page.getByText("echo 'ups:").waitFor()
    await containers.click()
    const server = async () => (await backend.call('GET', `/v1/servers/${body.server_id}`, { as: scene.owner })).body
    await expect.poll(async () => (await server()).sources_off).toEqual(['containers'])
    await expect.poll(() => containers.isChecked()).toBe(false)
    await page.getByRole('button', { name: 'Add another' }).click()
    await page.getByText('Waiting for the first sample').waitFor()
    expect(await tokenOn(page)).toBe(token)
  })

  it('drops a token that was revoked, and says so', async () => {
    const { backend, owner } = scene
    const { body } = await backend.call('GET', '/v1/enrollment-tokens', { as: owner })
    for (const { id } of body.enrollment_tokens) await backend.call('DELETE', `/v1/enrollment-tokens/${id}`, { as: owner })
    await page.reload()
    await page.getByText('The token has ended').waitFor()
    await createToken(page).waitFor()
    expect(await page.evaluate(KEPT)).toBeNull()
  })

  it('drops the token when the organization changes', async () => {
    const { backend, owner } = scene
    await backend.call('POST', '/v1/organizations', { as: owner, body: { name: 'Other' } })
    await openWithToken(page)
    await page.getByRole('button', { name: /^Organization/ }).click()
    await page.getByRole('menuitemradio', { name: 'Other' }).click()
    await page.getByRole('button', { name: /Other$/ }).waitFor()
    await expect.poll(() => page.evaluate(KEPT)).toBeNull()
  })

  it('drops the token at the sign-out', async () => {
    page = scene.open()
    await openWithToken(page)
    expect(await page.evaluate(KEPT)).toContain('vdt_enr_')
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Email', { exact: true }).waitFor()
    expect(await page.evaluate(KEPT)).toBeNull()
  })

  it('reports no fault of a script', () => expect(scene.complaints).toEqual([]))
})

it('a channel that was tested before it was saved needs no second test among the first steps', async () => {
  const receiver = await startReceiver()
  const scene = await openScene({ environment: LOCAL_TARGETS })
  const page = scene.open()
  await page.goto(`${scene.origin}/alerts/channels/add`)
  await page.getByLabel('Type', { exact: true }).selectOption('webhook')
  await page.getByLabel('Name', { exact: true }).fill('Draft')
  await page.getByLabel('URL', { exact: true }).fill(receiver.url)
  await page.getByRole('button', { name: 'Send test: Draft' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('button', { name: 'Create channel' }).click()
  const count = async () => (await scene.backend.call('GET', '/v1/channels', { as: scene.owner })).body.total
  await expect.poll(count).toBe(1)
  await page.goto(scene.origin)
  const step = page.getByRole('listitem').filter({ hasText: /A channel whose test was delivered: done/ })
  await expect.poll(() => step.count()).toBe(1)
  await scene.close()
  await receiver.close()
})
