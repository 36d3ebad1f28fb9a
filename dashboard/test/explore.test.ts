import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TestBackend, TestOrganization } from '../../backend/test/harness.ts'
import { seedChecks, seedRegion } from '../../backend/test/seed-checks.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { examplesOf } from '../src/features/explore/examples.ts'
import { openSignedIn, type SignedIn, takePicture } from './signed-in.ts'

const MINUTE = 60_000
const MINUTES = 60
const MOUNTS = 60

/** A host with a sample a minute over the last hour, and more filesystems than a chart has lines. */
async function pushHost(backend: TestBackend, organization: TestOrganization, name: string, percent: number): Promise<void> {
  const { as, id } = await backend.server(organization)
  const owner = await backend.member(organization, 'owner')
  expect((await backend.call('PATCH', `/v1/servers/${id}`, { as: owner, body: { display_name: name } })).status).toBe(200)
  const at = (index: number) => new Date(backend.clock.now() - (MINUTES - 1 - index) * MINUTE).toISOString()
  const gigabyte = 1e9
  const samples = Array.from({ length: MINUTES }, (_, index) => ({
    at: at(index),
    cpu: { percent: percent + (index % 10), load_1: 1 },
    memory: { used_bytes: gigabyte, total_bytes: 4 * gigabyte },
  }))
  const filesystems = Array.from({ length: MOUNTS }, (_, index) => ({
    mount: `/data/${index}`,
    fs_type: 'ext4',
    total_bytes: 100,
    used_bytes: index,
    percent: index,
  }))
  const head = { batch_id: randomUUID(), sent_at: new Date(backend.clock.now()).toISOString(), agent_version: '1' }
  const body = { ...head, samples, filesystems }
  expect((await backend.call('POST', '/v1/agent/metrics', { as, body })).status).toBe(202)
}

async function plantChecksOf(backend: TestBackend, organization: TestOrganization): Promise<void> {
  const as = await backend.member(organization, 'owner')
  const body = { name: 'Shop', url: 'https://shop.example.com/' }
  expect((await backend.call('POST', '/v1/monitors', { as, body })).status).toBe(201)
  const { rows } = await backend.pool.pg.query('select number from monitor where organization = $1', [organization.number])
  const region = await seedRegion(backend, 'ams')
  const checks = Array.from({ length: MINUTES }, (_, minute) => ({
    region,
    atMs: backend.clock.now() - minute * MINUTE - 1,
    outcome: 0,
    responseUs: 100_000 + minute,
  }))
  await seedChecks(backend, organization, rows[0].number, checks)
}

describe.skipIf(isMissing('chromium'))('the page of PromQL', () => {
  let scene: SignedIn
  beforeAll(async () => {
    const fill = async (backend: TestBackend, organization: TestOrganization) => {
      await pushHost(backend, organization, 'web-1', 20)
      await pushHost(backend, organization, 'db-1', 60)
      await plantChecksOf(backend, organization)
    }
    scene = await openSignedIn({ fill })
  })
  afterAll(() => scene?.close())

  const field = (page: Page) => page.getByRole('textbox', { name: 'Query' })
  const options = (page: Page) => page.getByRole('listbox', { name: 'Suggestions' }).getByRole('option')
  const chart = (page: Page) => page.getByRole('img', { name: /^Over time/ })
  const rows = (page: Page) => page.getByRole('group', { name: 'At the end' }).getByRole('row')
  const queryIn = (page: Page) => new URL(page.url()).searchParams.get('query')
  const open = async (page: Page, query?: string) => {
    await page.goto(`${scene.origin}/explore${query === undefined ? '' : `?${String(new URLSearchParams({ query }))}`}`)
    await field(page).waitFor()
  }

  it('completes what is typed by the keyboard, and shows the answer as lines and as rows', async () => {
    const { wide: page } = scene
    await page.goto(scene.origin)
    await page.getByRole('link', { name: 'Explore' }).click()
    await page.getByRole('button', { name: /Processor of each host/ }).waitFor()
    await takePicture(page, 'explore-first')
    await field(page).pressSequentially('vedette_cpu_p')
    await expect.poll(() => options(page).count()).toBeGreaterThan(0)
    await page.keyboard.press('Escape')
    expect(await options(page).count()).toBe(0)
    await page.keyboard.press('Control+Space')
    await page.keyboard.press('ArrowDown')
    await takePicture(page, 'explore-completion')
    await page.keyboard.press('Enter')
    await expect.poll(() => field(page).inputValue()).toBe('vedette_cpu_percent')
    await page.keyboard.type('{inst')
    await options(page).filter({ hasText: 'instance' }).waitFor()
    await page.keyboard.press('Tab')
    await options(page).filter({ hasText: 'web-1' }).waitFor()
    await page.keyboard.type('web')
    await page.keyboard.press('Tab')
    await expect.poll(() => field(page).inputValue()).toBe('vedette_cpu_percent{instance="web-1"')
    await page.keyboard.type('}')
    await page.keyboard.press('Enter')
    await expect.poll(() => queryIn(page)).toBe('vedette_cpu_percent{instance="web-1"}')
    await expect.poll(() => chart(page).getAttribute('aria-label')).toMatch(/instance="web-1".* 2\d/)
    await page.locator('canvas').waitFor()
    await expect.poll(() => rows(page).count()).toBe(2)
    expect(await page.getByRole('link', { name: 'Make a rule from this' }).getAttribute('href')).toBe(
      `/alerts/rules/add?${String(new URLSearchParams({ metric: 'promql', expression: 'vedette_cpu_percent{instance="web-1"}' }))}`,
    )
  })

  it('has each query in the address: back returns the previous one, also from another document', async () => {
    const { wide: page } = scene
    await open(page, 'vedette_cpu_percent')
    await expect.poll(() => rows(page).count()).toBe(3)
    await page.getByRole('button', { name: 'Value' }).click()
    await expect.poll(() => rows(page).nth(1).textContent()).toContain('db-1')
    await takePicture(page, 'explore')
    await field(page).fill('sum(vedette_cpu_percent)')
    await page.getByRole('button', { name: 'Run' }).click()
    await expect.poll(() => rows(page).count()).toBe(2)
    await page.goBack()
    await expect.poll(() => field(page).inputValue()).toBe('vedette_cpu_percent')
    await expect.poll(() => rows(page).count()).toBe(3)
    await page.goForward()
    await expect.poll(() => field(page).inputValue()).toBe('sum(vedette_cpu_percent)')
    await page.goto(`${scene.origin}/healthz`)
    await page.goBack()
    await expect.poll(() => field(page).inputValue()).toBe('sum(vedette_cpu_percent)')
    await expect.poll(() => rows(page).count()).toBe(2)
  })

  it('says what is wrong with a query, and where', async () => {
    const { narrow: page } = scene
    await open(page, 'sum(vedette_cpu_percent}')
    await page.getByText('Line 1, character 24: unexpected "}"').first().waitFor()
    expect(await field(page).getAttribute('aria-invalid')).toBe('true')
    await takePicture(page, 'explore-fault')
    await field(page).fill('x'.repeat(4_001))
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByText('The query has 4001 characters, at most 4000 fit').first().waitFor()
    expect(queryIn(page)).toBe('sum(vedette_cpu_percent}')
  })

  it('names what begins alike where a name does not exist, and runs it', async () => {
    const { narrow: page } = scene
    await open(page, 'max(vedette_cpu_percents)')
    await page.getByText('No series has the name vedette_cpu_percents').waitFor()
    await takePicture(page, 'explore-unknown')
    await page.getByRole('button', { name: 'vedette_cpu_percent', exact: true }).click()
    await expect.poll(() => queryIn(page)).toBe('max(vedette_cpu_percent)')
    await chart(page).waitFor()
    await takePicture(page, 'explore')
  })

  it('draws 50 series, and says so where there are more', async () => {
    const { narrow: page } = scene
    await open(page, 'vedette_filesystem_used_percent')
    await page.getByText('The first 50 series are drawn.').waitFor()
    expect((await chart(page).getAttribute('aria-label'))?.match(/\/data\/\d/g)).toHaveLength(50)
    await takePicture(page, 'explore-many')
  })

  it('stops a query when the person types, and says when there were too many', async () => {
    const { wide: page } = scene
    await page.route('**/api/v1/query*', () => undefined)
    const failed = page.waitForEvent('requestfailed')
    await open(page, 'vedette_cpu_percent')
    await page.locator('[aria-busy=true]').first().waitFor()
    await field(page).press('End')
    await page.keyboard.type(' + 1')
    expect((await failed).failure()?.errorText).toBe('net::ERR_ABORTED')
    await page.getByText('The query was stopped because you typed.').waitFor()
    await page.unroute('**/api/v1/query*')
    const error = { code: 'rate_limited', message: 'Too many requests', request_id: 'req_1' }
    const refusal = { status: 429, headers: { 'retry-after': '1' }, json: { error } }
    await page.route('**/api/v1/query*', (route) => route.fulfill(refusal), { times: 2 })
    await field(page).press('Enter')
    await page.getByText('Too many requests. Try again shortly.').waitFor()
    await chart(page).waitFor()
  })

  it('begins with examples that have data', async () => {
    const { backend, organization } = scene
    const as = await backend.member(organization, 'viewer')
    const read = async (path: string) => (await backend.call('GET', `/v1/prometheus/api/v1/${path}`, { as })).body.data
    const examples = examplesOf(await read('label/__name__/values'))
    expect(examples).toHaveLength(5)
    for (const { query } of examples) {
      const { result } = await read(`query?${String(new URLSearchParams({ query }))}`)
      expect(result.length, query).toBeGreaterThan(0)
    }
  })

  it('reports no fault of a script', () => {
    // A browser reports what is refused: the wrong query, and those that were too many.
    expect(scene.complaints.filter((text) => !/status of (400|429)/.test(text))).toEqual([])
  })
})
