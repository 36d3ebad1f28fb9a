import { type Browser, chromium, type Page, type Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Credentials, startTestBackend, type TestBackend, type TestOrganization } from '../../backend/test/harness.ts'
import { openTestIncident } from '../../backend/test/incident.ts'
import { findTool, isMissing } from '../../scripts/test-tools.ts'

/** Playwright turns off that browsers keep pages for the back button, as they do for people. */
const KEEPING = { ignoreDefaultArgs: ['--disable-back-forward-cache'], args: ['--headless', '--no-sandbox', '--disable-gpu'] }

interface Created {
  id: string
}

const DOWN = { metric: 'status', operator: 'equals', value: 'down' }

/** The address of a list, with what it is searched for where it has a search, and what it lists. */
interface List {
  path: string
  create(name: string, number: number): Promise<Created>
  rename(id: string, name: string): Promise<unknown>
}

describe.skipIf(isMissing('chromium'))('a page that the browser keeps for the back button', () => {
  let backend: TestBackend
  let browser: Browser
  let page: Page
  let origin: string
  let organization: TestOrganization
  let owner: Credentials & { authorization: string }
  beforeAll(async () => {
    backend = await startTestBackend({ startMs: Date.now() })
    origin = `http://127.0.0.1:${await backend.listen()}`
    organization = await backend.organization()
    owner = await backend.member(organization, 'owner')
    browser = await chromium.launch({ executablePath: findTool('chromium') ?? '', ...KEEPING })
    const context = await browser.newContext()
    await context.addInitScript(`
      if (location.origin === ${JSON.stringify(origin)})
        sessionStorage.setItem('vedette-token', ${JSON.stringify(owner.authorization.slice('Bearer '.length))})
      addEventListener('pageshow', ({ persisted }) => { globalThis.isKept = persisted })`)
    page = await context.newPage()
    page.setDefaultTimeout(30_000)
  })
  afterAll(async () => {
    await browser?.close()
    await backend?.close()
  })

  const field = () => page.getByRole('textbox', { name: 'Query' })
  const answer = () => page.getByRole('group', { name: 'At the end' })
  const open = async (query: string) => {
    await page.goto(`${origin}/explore?${String(new URLSearchParams({ query }))}`)
    await field().waitFor()
  }
  /** To another document and back; whether it is the page as it was left. `meanwhile`: what happens in between. */
  const leaveAndReturn = async (meanwhile: () => Promise<unknown> = async () => undefined): Promise<boolean> => {
    const path = await page.evaluate('location.pathname')
    await page.goto(`${origin}/healthz`)
    await meanwhile()
    // Playwright waits for a load that a kept page does not have.
    await page.evaluate('setTimeout(() => history.back())')
    await expect.poll(() => page.evaluate('location.pathname').catch(() => ''), { timeout: 20_000 }).toBe(path)
    return (await page.evaluate('globalThis.isKept')) === true
  }

  const call = async (method: string, path: string, body: object): Promise<Created> => {
    const answer = await backend.call(method, `/v1${path}`, { as: owner, body })
    if (answer.status >= 300) throw new Error(JSON.stringify(answer.body))
    return answer.body
  }
  const listOf = (path: string, resource: string, bodyOf: (name: string, number: number) => object, field = 'name'): List => ({
    path,
    create: (name, number) => call('POST', resource, bodyOf(name, number)),
    rename: (id, name) => call('PATCH', `${resource}/${id}`, { [field]: name }),
  })
  const days = (number: number) => new Date(Date.now() + number * 86_400_000).toISOString()
  const LISTS: readonly List[] = [
    listOf('/certificates?q=kept', '/certificates', (name, number) => ({ name, not_after: days(number + 1) })),
    listOf('/monitors?q=kept', '/monitors', (name) => ({ name, url: 'https://shop.example.com/' })),
    {
      path: '/servers?q=kept',
      create: async (name) => {
        const { id } = await backend.server(organization)
        return call('PATCH', `/servers/${id}`, { display_name: name })
      },
      rename: (id, name) => call('PATCH', `/servers/${id}`, { display_name: name }),
    },
    {
      path: '/incidents?q=kept',
      create: async (summary) => ({ id: await openTestIncident(backend, organization, { summary }) }),
      rename: (_, summary) => backend.pool.db.updateTable('incident').set({ summary }).where('summary', '=', 'Kept 7').execute(),
    },
    listOf('/alerts/rules', '/alert-rules', (name) => ({ name, target: { type: 'monitor' }, condition: DOWN })),
    listOf('/alerts/channels', '/channels', (name) => ({ name, type: 'slack', config: { url: 'https://hooks.example.com/x' } })),
    {
      ...listOf('/alerts/policies', '/escalation-policies', () => ({})),
      create: async (name) => {
        const { body: me } = await backend.call('GET', '/v1/auth/me', { as: owner })
        return call('POST', '/escalation-policies', { name, steps: [{ user_ids: [me.id] }] })
      },
    },
    listOf('/alerts/on-call', '/schedules', (name) => ({ name })),
    listOf('/alerts/maintenance', '/maintenance-windows', (name, number) => ({
      name,
      target: { type: 'monitor' },
      starts_at: days(number + 1),
      ends_at: days(number + 2),
    })),
    listOf('/alerts/sources', '/alert-sources', (name) => ({ name, type: 'generic' })),
    listOf('/status-pages', '/status-pages', (title, number) => ({ name: 'Page', slug: `kept-${number}`, title }), 'title'),
    listOf('/slos', '/slos', (name) => ({ name, target: { tag: 'prod' }, objective: 99 })),
  ]

  it.each(LISTS)(
    'with the list $path has its search, its place and its rows, and shows what has changed meanwhile',
    {
      timeout: 90_000,
    },
    async ({ path, create, rename }) => {
      const made: Created[] = []
      for (let number = 0; number < 10; number += 1) made.push(await create(`Kept ${number}`, number))
      const [, search = ''] = path.split(/(?=\?)/)
      const name = (text: string) => page.getByText(text, { exact: true }).first()
      await page.setViewportSize({ width: 390, height: 320 })
      await page.goto(`${origin}${path}`)
      await name('Kept 7').waitFor()
      await page.evaluate('scrollTo(0, 200)')
      await expect.poll(() => page.evaluate('scrollY')).toBe(200)
      const typed = async () => Promise.all((await page.getByRole('searchbox').all()).map((field) => field.inputValue()))
      const before = await typed()
      expect(await leaveAndReturn(() => rename(made[7]?.id ?? '', 'Kept and renamed'))).toBe(true)
      expect(await page.evaluate('[location.search, scrollY]')).toEqual([search, 200])
      expect(await typed()).toEqual(before)
      await name('Kept and renamed').waitFor()
      await name('Kept 6').waitFor()
    },
  )

  it('with PromQL is as it was left, and answers further queries', { timeout: 90_000 }, async () => {
    await open('vector(41) + 1')
    await answer().getByText('42').waitFor()
    expect(await leaveAndReturn()).toBe(true)
    expect(await field().inputValue()).toBe('vector(41) + 1')
    await answer().getByText('42').waitFor()
    await field().fill('vector(6) * 7.5')
    await page.getByRole('button', { name: 'Run' }).click()
    await answer().getByText('45').waitFor()
  })

  it('with PromQL that was left while a query ran does not wait for it for ever', { timeout: 90_000 }, async () => {
    const held: Route[] = []
    await page.route('**/api/v1/query*', (route) => void held.push(route))
    await open('vector(12) + 1')
    await page.locator('[aria-busy=true]').first().waitFor()
    await leaveAndReturn()
    // The server answers now, to a page that was kept, or to one that is loaded again.
    await page.unroute('**/api/v1/query*')
    for (const route of held) await route.continue().catch(() => undefined)
    await expect.poll(() => field().inputValue()).toBe('vector(12) + 1')
    await expect.poll(() => page.locator('[aria-busy=true]').count(), { timeout: 20_000 }).toBe(0)
    // Where the browser has dropped the request, the page says so and runs it again.
    if ((await answer().getByText('13').count()) === 0) await page.getByRole('button', { name: 'Run' }).click()
    await answer().getByText('13').waitFor()
  })
})
