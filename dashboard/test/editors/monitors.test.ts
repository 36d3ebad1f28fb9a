import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LOCAL_TARGETS } from '../../../backend/test/alert-fixture.ts'
import { faultsOf, hasFocus, openScene, type Page, type Scene } from '../dom/scene.ts'
import { asOwner, watchRequests } from './editor.ts'

describe('the editor of monitors', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  beforeAll(async () => {
    scene = await openScene({ environment: LOCAL_TARGETS })
    api = asOwner(scene)
    await scene.backend.probe('frankfurt')
    await scene.backend.probe('tokyo')
  })
  afterAll(() => scene?.close())

  const openNew = async (page: Page) => {
    await page.goto(`${scene.origin}/monitors/add/http`)
    await page.getByLabel('URL').waitFor()
  }
  const create = async (page: Page, title: string) => {
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe(title)
    return api.read(`/v1/monitors/${page.url().split('/').at(-1)}`)
  }

  it('stores every field', async () => {
    const page = scene.open()
    await openNew(page)
    await page.getByLabel('URL').fill('https://api.example.com/orders')
    await page.getByLabel('Method').selectOption('POST')
    await page.getByLabel('Name').first().fill(`Orders 0`)
    await page.getByLabel('Interval').fill('2 min')
    await page.getByLabel('Timeout').fill('15 s')
    await page.getByLabel('Confirmations').fill('3')
    await page.getByRole('checkbox', { name: /^frankfurt/ }).check()
    await page.getByRole('checkbox', { name: /^tokyo/ }).check()
    await page.getByLabel('Tags').fill('shop')
    await page.keyboard.press('Enter')
    await page.getByLabel('Tags').fill('api,')
    await page.getByRole('button', { name: 'Add assertion' }).click()
    await page.getByRole('button', { name: 'Add assertion' }).click()
    const type = page.getByLabel('Type', { exact: true })
    await type.nth(0).selectOption('status_code')
    await page.getByLabel('Value').nth(0).fill('201')
    await type.nth(1).selectOption('response_time')
    await page.getByLabel('Value').nth(1).fill('800')
    await page.getByText('Request options').click()
    await page.getByRole('button', { name: 'Add header' }).click()
    await page.getByLabel('Header name').fill('X-Team')
    await page.getByLabel('Header value').fill('shop')
    await page.getByLabel('Body', { exact: true }).fill('{"dry":true}')
    await page.getByLabel('Follow redirects').uncheck()
    await page.getByLabel('Verify TLS certificate').uncheck()
    expect(await create(page, `Orders 0`)).toMatchObject({
      url: 'https://api.example.com/orders',
      method: 'POST',
      interval: 120,
      timeout: 15,
      confirmations: 3,
      regions: expect.arrayContaining(['frankfurt', 'tokyo']),
      tags: ['shop', 'api'],
      headers: { 'X-Team': 'shop' },
      body: '{"dry":true}',
      follow_redirects: false,
      verify_tls: false,
      assertions: [
        { type: 'status_code', value: 201 },
        { type: 'response_time', value: 800 },
      ],
    })
  })

  it('offers a body only where the method takes one, and forgets none that was typed', async () => {
    const page = scene.open()
    await openNew(page)
    await page.getByText('Request options').click()
    const body = page.getByLabel('Body', { exact: true })
    expect(await body.count()).toBe(0)
    await page.getByLabel('Method').selectOption('PUT')
    await body.fill('kept')
    await page.getByLabel('Method').selectOption('GET')
    expect(await body.count()).toBe(0)
    await page.getByLabel('Method').selectOption('PATCH')
    expect(await body.inputValue()).toBe('kept')
    await page.getByLabel('Method').selectOption('GET')
    await page.getByLabel('URL').fill('https://bodyless.example.com/')
    expect((await create(page, 'bodyless.example.com')).body).toBeNull()
  })

  it.each([
    ['30', 30],
    ['45 s', 45],
    ['5 min', 300],
    ['1 h', 3_600],
    ['1 d', 86_400],
  ])('understands an interval of %s', async (text, seconds) => {
    const page = scene.open()
    await openNew(page)
    await page.getByLabel('URL').fill(`https://every-${seconds}.example.com/`)
    await page.getByLabel('Interval').fill(text)
    expect((await create(page, `every-${seconds}.example.com`)).interval).toBe(seconds)
  })

  it('names a wrong assertion and a wrong duration at their place, and saves once they are right', async () => {
    const page = scene.open()
    await openNew(page)
    const sent = watchRequests(page, 'POST')
    await page.getByLabel('URL').fill('https://files.example.com/')
    await page.getByLabel('Interval').fill('often')
    await page.getByRole('button', { name: 'Add assertion' }).click()
    await page.getByLabel('Type', { exact: true }).selectOption('response_time')
    await page.getByLabel('Value').fill('')
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await page.getByText(/needs? a change/).waitFor()
    const faults = await faultsOf(page)
    expect(Object.keys(faults)).toEqual(['Interval', 'Value'])
    expect(faults['Interval']).toBe('Enter a time such as 30 s or 5 min.')
    expect(sent).toEqual([])
    await page.getByLabel('Interval').fill('60')
    await page.getByRole('button', { name: 'Remove assertion' }).click()
    await page.getByLabel('URL').fill('https://mended.example.com/')
    await create(page, 'mended.example.com')
    expect(sent).toHaveLength(1)
  })

  it('folds the authentication of a request, and opens it where it is filled or has a fault', async () => {
    const page = scene.open()
    await openNew(page)
    const token = page.getByLabel('Bearer token')
    const summary = page.locator('summary', { hasText: 'Authentication' })
    expect(await token.isVisible()).toBe(false)
    await page.getByLabel('URL').fill(`https://token-0.example.com/`)
    await summary.click()
    await token.fill('not a token')
    await summary.click()
    expect(await token.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Create monitor' }).click()
    await expect.poll(() => hasFocus(page, 'Bearer token')).toBe(true)
    expect(Object.keys(await faultsOf(page))).toEqual(['Bearer token'])
    await token.fill('abc.def')
    const { id } = await create(page, `token-0.example.com`)
    await page.goto(`${scene.origin}/monitors/${id}/edit`)
    await token.waitFor({ state: 'visible' })
  })

  it('says that a monitor needs a region, and moves it from one to another', async () => {
    const { id } = await api.make('/v1/monitors', { name: 'Moved', url: 'https://example.com/', regions: ['frankfurt'] })
    for (const page of [scene.open(), scene.open()]) {
      const [from, to] = (await api.read(`/v1/monitors/${id}`)).regions.includes('frankfurt')
        ? (['frankfurt', 'tokyo'] as const)
        : (['tokyo', 'frankfurt'] as const)
      await page.goto(`${scene.origin}/monitors/${id}/edit`)
      const region = (name: string) => page.getByRole('checkbox', { name: new RegExp(`^${name}`) })
      const sent = watchRequests(page, 'PATCH')
      await region(from).uncheck()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Choose at least one.').waitFor()
      expect(sent).toEqual([])
      await region(to).check()
      await page.getByText('Choose at least one.').waitFor({ state: 'detached' })
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('heading', { name: 'Recent checks' }).waitFor()
      expect(sent.map(({ body }) => body)).toEqual([{ regions: [to] }])
    }
    expect((await api.read(`/v1/monitors/${id}`)).regions).toEqual(['frankfurt'])
  })

  it('adds a tag to many only where it is one, without the blanks around it', async () => {
    await api.make('/v1/monitors', { name: 'Tagged', url: 'https://example.com/', tags: ['tagged'] })
    const page = scene.open()
    await page.goto(`${scene.origin}/monitors?tag=tagged`)
    await page.getByLabel('Select Tagged').check()
    await page.getByRole('button', { name: 'Add tag' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add tag' })
    await dialog.getByLabel('Tag').fill('   ')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('Fill this in.').waitFor()
    await dialog.getByLabel('Tag').fill('  night ')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Tag added to 1 monitor').waitFor()
    expect((await api.read('/v1/monitors?tag=tagged')).monitors).toMatchObject([{ tags: ['tagged', 'night'] }])
  })

  it('pauses, resumes and tags many at once, and deletes them with undo', async () => {
    const page = scene.open()
    for (const name of ['one', 'two', 'three'])
      await api.make('/v1/monitors', { name: `Many 0 ${name}`, url: 'https://example.com/', tags: [`many-0`] })
    const all = async () => (await api.read(`/v1/monitors?tag=many-0&limit=100&sort=name`)).monitors
    await page.goto(`${scene.origin}/monitors?tag=many-0`)
    await page.getByText(`Many 0 three`).waitFor()
    await page.getByLabel('Select all on this page').click()
    await page.getByText('3 selected').waitFor()
    await page.getByRole('button', { name: 'Pause', exact: true }).first().click()
    await page.getByText('3 monitors paused').waitFor()
    expect((await all()).map(({ status }: { status: string }) => status)).toEqual(['paused', 'paused', 'paused'])
    await page.getByLabel(`Select Many 0 one`).check()
    await page.getByRole('button', { name: 'Resume', exact: true }).first().click()
    await page.getByText('Monitor resumed').waitFor()
    await expect.poll(async () => (await all()).filter(({ status }: { status: string }) => status === 'paused').length).toBe(2)
    await page.getByLabel('Select all on this page').click()
    await page.getByRole('button', { name: 'Add tag' }).click()
    await page.getByRole('dialog').getByLabel('Tag').fill('night')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Tag added to 3 monitors').waitFor()
    for (const { tags } of await all()) expect(tags).toEqual([`many-0`, 'night'])
    await page.getByLabel('Select all on this page').click()
    await page.getByRole('button', { name: 'Delete' }).last().click()
    const dialog = page.getByRole('dialog', { name: 'Delete 3 monitors?' })
    await dialog.getByLabel('Type 3 monitors to confirm').fill('3 monitors')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('3 monitors deleted').waitFor()
    expect(await all()).toEqual([])
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await expect.poll(async () => (await all()).length).toBe(3)
  })

  it('is closed to viewers, who have no buttons on the page of a monitor either', async () => {
    const { id } = await api.make('/v1/monitors', { name: 'Shop', url: 'https://example.com/' })
    const page = await scene.openAs('viewer')
    await page.goto(`${scene.origin}/monitors/add`)
    await page.getByText('Only members, admins and owners can change monitors.').waitFor()
    await page.goto(`${scene.origin}/monitors/${id}`)
    await page.getByRole('heading', { name: 'Recent checks' }).waitFor()
    for (const name of ['Edit', 'Duplicate']) expect(await page.getByRole('link', { name }).count()).toBe(0)
    expect(await page.getByRole('button', { name: /^(Pause|Delete)/ }).count()).toBe(0)
  })

  it('reports no fault of a script', () => expect(scene.complaints).toEqual([]))
})
