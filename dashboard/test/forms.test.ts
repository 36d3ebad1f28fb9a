import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registration } from '../../backend/test/harness.ts'
import { hasFocus, openScene, type Page, type Scene } from './dom/scene.ts'

describe('forms', () => {
  let scene: Scene
  beforeAll(async () => {
    scene = await openScene()
  })
  afterAll(() => scene?.close())

  it('a double click creates one API key, and only its button closes the secret', async () => {
    const { origin, backend, owner } = scene
    const page = scene.open()
    await page.goto(`${origin}/settings/keys`)
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('Name').fill('wallboard')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).dblclick()
    const secret = page.getByText(/^vdt_key_\w+$/)
    await secret.waitFor()
    for (const key of ['Escape', 'Escape']) await page.keyboard.press(key)
    expect(await secret.isVisible()).toBe(true)
    const { body } = await backend.call('GET', '/v1/api-keys', { as: owner })
    expect(body.api_keys.map(({ name }: { name: string }) => name)).toEqual(['wallboard'])
    await page.getByRole('button', { name: 'Done' }).click()
    await secret.waitFor({ state: 'detached' })
  })

  const createMonitor = async (name: string): Promise<string> => {
    const body = { name, url: 'https://shop.example.com/', headers: { 'X-Team': 'shop' } }
    return (await scene.backend.call('POST', '/v1/monitors', { as: scene.owner, body })).body.id
  }
  const read = async (id: string) => (await scene.backend.call('GET', `/v1/monitors/${id}`, { as: scene.owner })).body
  const openEditor = async (page: Page, id: string) => {
    await page.goto(`${scene.origin}/monitors/${id}/edit`)
    await page.getByLabel('Interval').waitFor()
  }
  const save = async (page: Page) => {
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Recent checks' }).waitFor()
  }

  it('duplicate a monitor with everything but its name', async () => {
    const id = await createMonitor('Original')
    const { origin } = scene
    const page = scene.open()
    await page.goto(`${origin}/monitors/${id}`)
    await page.getByRole('link', { name: 'Duplicate' }).click()
    await expect.poll(() => page.getByLabel('Name').first().inputValue()).toBe('Original (copy)')
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Original (copy)')
    const copy = await read(page.url().split('/').at(-1) ?? '')
    expect(copy).toMatchObject({ url: 'https://shop.example.com/', headers: { 'X-Team': 'shop' } })
    expect(copy.id).not.toBe(id)
  })

  it('show all faults at once before anything is sent, and take them back while one types', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/monitors/add/http`)
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
    await page.getByLabel('Interval').fill('5')
    await page.getByLabel('Timeout').fill('61')
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await page.getByText('fields need a change').waitFor()
    expect(await page.locator('[aria-invalid]').count()).toBe(3)
    expect(await page.getByText('Enter 10 s or more.').isVisible()).toBe(true)
    expect(await hasFocus(page, 'URL')).toBe(true)
    await page.getByLabel('Interval').fill('60')
    await page.getByText('Enter 10 s or more.').waitFor({ state: 'detached' })
    expect(await page.locator('[aria-invalid]').count()).toBe(2)
    await page.getByLabel('URL').fill('https://shop.example.com/')
    await page.getByLabel('Timeout').fill('10')
    expect(await page.locator('[aria-invalid]').count()).toBe(0)
    expect(sent).toEqual([])
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('shop.example.com')
    expect(sent).toHaveLength(1)
  })

  it.each([
    ['alerts/rules/add', 'Create rule', { 'Threshold (%)': '' }, 1],
    ['alerts/channels/add', 'Create channel', { Name: ' ' }, 2],
    ['alerts/maintenance/add', 'Create window', { Name: '' }, 1],
  ])('%s sends nothing that its schema refuses', async (path, action, filled, faults) => {
    const page = scene.open()
    await page.goto(`${scene.origin}/${path}`)
    const sent: string[] = []
    page.on('request', (request) => request.method() === 'POST' && sent.push(request.url()))
    for (const [label, value] of Object.entries(filled)) await page.getByLabel(label).first().fill(value)
    await page.getByRole('button', { name: action }).click()
    await page.getByText(/needs? a change/).waitFor()
    expect(await page.locator('[aria-invalid]').count()).toBe(faults)
    expect(sent).toEqual([])
  })

  it('create one monitor although the network is cut while it is saved', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/monitors/add/http`)
    await page.getByLabel('URL').fill('https://cut.example.com/')
    await page.route(
      '**/v1/monitors',
      async (route) => {
        await route.fetch()
        await route.abort()
      },
      { times: 1 },
    )
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await page.getByText('Vedette is not reachable.').first().waitFor()
    expect(await page.getByLabel('URL').inputValue()).toBe('https://cut.example.com/')
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('cut.example.com')
    const { body } = await scene.backend.call('GET', '/v1/monitors?q=cut.example', { as: scene.owner })
    expect(body.total).toBe(1)
  })

  it('say how long they wait after too many requests, and work again after that', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/monitors/add/http`)
    await page.getByLabel('URL').fill('https://waits.example.com/')
    await page.route(
      '**/v1/monitors',
      async (route) => {
        const error = { code: 'rate_limited', message: 'Too many requests. Try again in 2 s.', request_id: 'req_1' }
        await route.fulfill({ status: 429, headers: { 'Retry-After': '2' }, json: { error } })
      },
      { times: 1 },
    )
    await page.getByRole('button', { name: 'Create monitor' }).click()
    const button = page.getByRole('button', { name: /^Create monitor/ })
    await page.getByRole('button', { name: 'Create monitor (in 1 s)' }).waitFor()
    expect(await button.isDisabled()).toBe(true)
    await page.getByText('Too many requests. Try again in 2 s.').waitFor()
    await page.getByRole('button', { name: 'Create monitor', exact: true }).waitFor()
    expect(await button.isDisabled()).toBe(false)
  })

  it('choose the server of a monitor and suggest the tags in use', async () => {
    const { backend, organization, owner } = scene
    const key = await backend.apiKey(organization, 'agent')
    const body = registration('machine', { hostname: 'web-7' })
    const { body: server } = await backend.call('POST', '/v1/agent/register', { as: key, body })
    await backend.call('PATCH', `/v1/servers/${server.server_id}`, { as: owner, body: { tags: ['frontend'] } })
    const page = scene.open()
    const id = await createMonitor('On a server')
    await openEditor(page, id)
    await page.getByRole('button', { name: 'Choose server' }).click()
    await page.getByLabel('Search servers').fill('web')
    await page.getByRole('button', { name: 'web-7' }).click()
    await page.getByLabel('Tags').focus()
    await expect.poll(() => page.locator('datalist').first().innerHTML()).toContain('"frontend"')
    await save(page)
    expect(await read(id)).toMatchObject({ server_id: server.server_id })
    await page.getByRole('link', { name: 'web-7' }).first().waitFor()
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Change' }).click()
    await save(page)
    expect(await read(id)).toMatchObject({ server_id: null })
  })

  it('test a channel before it is created', async () => {
    const { origin } = scene
    const page = scene.open()
    await page.goto(`${origin}/alerts/channels/add`)
    await page.getByLabel('URL').fill('http://192.0.2.1/hook')
    await page.getByRole('button', { name: /^Send test/ }).click()
    await page.getByRole('dialog').getByText('Delivery failed.').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    expect((await scene.backend.call('GET', '/v1/channels', { as: scene.owner })).body.total).toBe(0)
    // Otherwise the browser asks before the next test leaves the page.
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('button', { name: 'Discard' }).click()
  })

  it('delete a monitor, undo it, and restore it from the list of deleted ones', async () => {
    const page = scene.open()
    const id = await createMonitor('Deleted by mistake')
    const remove = async () => {
      await page.goto(`${scene.origin}/monitors/${id}`)
      await page.getByRole('button', { name: 'Delete: Deleted by mistake' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      await page.getByText('Deleted by mistake deleted').waitFor()
    }
    await remove()
    expect((await scene.backend.call('GET', `/v1/monitors/${id}`, { as: scene.owner })).status).toBe(404)
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await page.getByText('Deleted by mistake restored').waitFor()
    expect((await read(id)).name).toBe('Deleted by mistake')
    await remove()
    await page.getByRole('link', { name: 'Deleted monitors' }).click()
    await page.getByRole('button', { name: 'Restore' }).waitFor()
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('No monitor was deleted').waitFor()
    expect((await read(id)).status).toBe('up')
  })

  it('report no fault of a script', () => expect(scene.complaints).toEqual([]))
})
