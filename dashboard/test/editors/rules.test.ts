import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faultsOf, hasFocus, openScene, type Page, type Scene } from '../dom/scene.ts'
import { asOwner, watchRequests } from './editor.ts'

describe('the editor of alert rules', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  let channels: { id: string; name: string }[]
  let monitor: { id: string }
  beforeAll(async () => {
    scene = await openScene()
    api = asOwner(scene)
    const hook = (name: string) =>
      api.make('/v1/channels', { name, type: 'webhook', config: { url: 'https://hooks.example.com/' } })
    channels = [await hook('Pager'), await hook('Chat')]
    monitor = await api.make('/v1/monitors', { name: 'Checkout', url: 'https://shop.example.com/', tags: ['shop'] })
  })
  afterAll(() => scene?.close())

  const openNew = async (page: Page) => {
    await page.goto(`${scene.origin}/alerts/rules/add`)
    await page.getByLabel('Metric').waitFor()
  }
  const create = async (page: Page) => {
    await page.getByRole('button', { name: 'Create rule' }).click()
    await page.getByRole('heading', { name: 'Alert rules' }).waitFor()
  }
  const named = async (name: string) =>
    (await api.read('/v1/alert-rules?limit=100')).alert_rules.find((rule: { name: string }) => rule.name === name)

  it('stores what was chosen: a metric of all servers with its threshold, time, severity, repeat and channels', async () => {
    const page = scene.open()
    const name = `Busy 0`
    await openNew(page)
    await page.getByLabel('Name').first().fill(name)
    await page.getByRole('button', { name: 'Servers', exact: true }).click()
    await page.getByLabel('Metric').selectOption({ label: 'Memory usage' })
    await page.getByLabel('Operator').selectOption({ label: 'is above' })
    await page.getByLabel('Threshold (%)').fill('90.5')
    await page.getByLabel('Recovers at').fill('80')
    await page.getByLabel('For at least').selectOption({ label: '10 min' })
    await page.getByLabel('Severity').selectOption({ label: 'Warning' })
    await page.getByLabel('Repeat notification').selectOption({ label: 'Every 1 h until acknowledged' })
    await page.getByLabel('Chat').check()
    await create(page)
    expect(await named(name)).toMatchObject({
      target: { type: 'server', id: null, tag: null },
      condition: { metric: 'memory.percent', operator: 'greater_than', value: 90.5 },
      clear_value: 80,
      for_seconds: 600,
      severity: 'warning',
      repeat_seconds: 3_600,
      channel_ids: [channels[1]?.id],
      enabled: true,
    })
  })

  it('offers the fields that fit the metric', async () => {
    const page = scene.open()
    await openNew(page)
    const has = (label: string) => page.getByLabel(label, { exact: true }).count()
    await page.getByRole('button', { name: 'Monitors', exact: true }).click()
    await page.getByLabel('Metric').selectOption({ label: 'Status' })
    expect(await Promise.all(['Operator', 'Recovers at', 'Mount point'].map(has))).toEqual([0, 0, 0])
    await page.getByLabel('Metric').selectOption({ label: 'Certificate expiry' })
    expect(await Promise.all(['Operator', 'Threshold (days)'].map(has))).toEqual([1, 1])
    await page.getByRole('button', { name: 'Servers', exact: true }).click()
    await page.getByLabel('Metric').selectOption({ label: 'Filesystem usage' })
    expect(await has('Mount point')).toBe(1)
    await page.getByLabel('Operator').selectOption({ label: 'is', exact: true } as { label: string })
    expect(await has('Recovers at')).toBe(0)
  })

  it('offers the fields of a kind once it is chosen, and stores the names that it is about', async () => {
    const page = scene.open()
    const name = `Containers 0`
    await openNew(page)
    await page.getByLabel('Name').first().fill(name)
    await page.getByLabel('Measured on').selectOption({ label: 'Containers' })
    const metric = page.getByLabel('Metric')
    expect((await metric.locator('option').allTextContents()).slice(0, 3)).toEqual(['CPU', 'Memory', 'Memory limit'])
    await metric.selectOption({ label: 'Healthy' })
    expect(await page.getByLabel('Threshold').locator('option').allTextContents()).toEqual(['Yes', 'No'])
    await metric.selectOption({ label: 'Memory usage' })
    await page.getByLabel('Threshold (%)').fill('85')
    await page.getByLabel('Only those named').fill('shop/*')
    await create(page)
    const rule = await named(name)
    expect(rule.condition).toEqual({
      metric: 'entity.container.memory_percent',
      operator: 'greater_than',
      value: 85,
      name: 'shop/*',
    })
    await page.getByText('Container shop/*: Memory usage is above 85 % for 5 min').first().waitFor()
    await page.goto(`${scene.origin}/alerts/rules/${rule.id}`)
    expect(await page.getByLabel('Measured on').inputValue()).toBe('container')
    await page.getByLabel('Measured on').selectOption({ label: 'Server' })
    expect(await page.getByLabel('Only those named').count()).toBe(0)
  })

  it('applies to a tag or to one monitor, which is found by its name', async () => {
    const page = scene.open()
    await openNew(page)
    await page.getByLabel('Name').first().fill('By tag')
    await page.getByRole('button', { name: 'Monitors', exact: true }).click()
    await page.getByRole('button', { name: 'By tag', exact: true }).click()
    await page.getByLabel('Tag', { exact: true }).fill('shop')
    await create(page)
    expect((await named('By tag')).target).toEqual({ type: 'monitor', id: null, tag: 'shop' })
    await openNew(page)
    await page.getByLabel('Name').first().fill('Of one')
    await page.getByRole('button', { name: 'Monitors', exact: true }).click()
    await page.getByRole('button', { name: 'Single' }).click()
    await page.getByLabel('Search monitors').fill('check')
    await page.getByRole('button', { name: 'Checkout' }).click()
    await create(page)
    expect((await named('Of one')).target).toEqual({ type: 'monitor', id: monitor.id, tag: null })
  })

  it('names each fault next to its field, all at once, and sends nothing', async () => {
    const page = scene.open()
    await openNew(page)
    const sent = watchRequests(page, 'POST')
    await page.getByRole('button', { name: 'Servers', exact: true }).click()
    await page.getByLabel('Metric').selectOption({ label: 'Filesystem usage' })
    await page.getByRole('button', { name: 'By tag', exact: true }).click()
    await page.getByLabel('Threshold (%)').fill('')
    await page.getByLabel('Mount point').fill('x'.repeat(1_025))
    await page.getByRole('button', { name: 'Create rule' }).click()
    await page.getByText('fields need a change').waitFor()
    expect(await faultsOf(page)).toEqual({
      Tag: 'Fill this in.',
      'Threshold (%)': 'Enter a number.',
      'Mount point': 'Enter at most 1,024 characters.',
    })
    expect(await hasFocus(page, 'Tag')).toBe(true)
    expect(sent).toEqual([])
  })

  it('sends no recovery value that it does not show', async () => {
    const page = scene.open()
    await openNew(page)
    await page.getByLabel('Name').first().fill('Without recovery')
    await page.getByLabel('Recovers at').fill('80')
    await page.getByLabel('Operator').selectOption({ label: 'is', exact: true } as { label: string })
    await create(page)
    expect(await named('Without recovery')).toMatchObject({ condition: { operator: 'equals', value: 90 }, clear_value: null })
    // The value of another metric means nothing for this one.
    await openNew(page)
    await page.getByLabel('Name').first().fill('Of another metric')
    await page.getByLabel('Recovers at').fill('80')
    await page.getByLabel('Metric').selectOption({ label: 'Memory usage' })
    expect(await page.getByLabel('Recovers at').inputValue()).toBe('')
    await create(page)
    expect(await named('Of another metric')).toMatchObject({ condition: { metric: 'memory.percent' }, clear_value: null })
  })

  it('shows what only the API knows next to its field: a recovery value beyond the threshold', async () => {
    const page = scene.open()
    await openNew(page)
    await page.getByLabel('Recovers at').fill('95')
    await page.getByRole('button', { name: 'Create rule' }).click()
    await expect.poll(async () => await faultsOf(page)).toEqual({ 'Recovers at': 'must not be above the value, 90' })
    await expect.poll(() => hasFocus(page, 'Recovers at')).toBe(true)
  })

  it('asks for the one target, with the focus on its search', async () => {
    const page = scene.open()
    await openNew(page)
    const sent = watchRequests(page, 'POST')
    await page.getByRole('button', { name: 'Single' }).click()
    await page.getByRole('button', { name: 'Create rule' }).click()
    await expect.poll(() => hasFocus(page, 'Search servers')).toBe(true)
    expect(await faultsOf(page)).toEqual({ 'Search servers': 'Fill this in.' })
    expect(sent).toEqual([])
  })

  it('saves only what was changed', async () => {
    const page = scene.open()
    const body = {
      name: 'Slow',
      target: { type: 'monitor' },
      condition: { metric: 'response_ms', operator: 'greater_than', value: 900 },
    }
    const { id } = await api.make('/v1/alert-rules', { ...body, repeat_seconds: 1_234 })
    await page.goto(`${scene.origin}/alerts/rules/${id}`)
    await page.getByLabel('Threshold (ms)').waitFor()
    // A repeat that the page does not offer, set over the API, stays.
    expect(await page.getByLabel('Repeat notification').inputValue()).toBe('1234')
    const sent = watchRequests(page, 'PATCH')
    await page.getByLabel('Threshold (ms)').fill('1200')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Alert rules' }).waitFor()
    expect(sent.map(({ body }) => body)).toEqual([
      { condition: { metric: 'response_ms', operator: 'greater_than', value: 1_200 } },
    ])
    expect(await named('Slow')).toMatchObject({ condition: { value: 1_200 }, repeat_seconds: 1_234 })
  })

  it('shows in its preview what the rule would have opened', async () => {
    const page = scene.open()
    await openNew(page)
    await page.getByRole('button', { name: 'Monitors', exact: true }).click()
    await page.getByRole('button', { name: 'Run preview' }).click()
    await page.getByText('No incidents in 7 days (1 target)').waitFor()
    await page.getByLabel('Severity').selectOption({ label: 'Info' })
    await page.getByRole('button', { name: 'By tag', exact: true }).click()
    await page.getByLabel('Tag', { exact: true }).fill('nobody')
    await page.getByText('The rule has changed since this preview.').waitFor()
    await page.getByRole('button', { name: 'Run again' }).click()
    await expect.poll(() => page.getByText('No monitor or server matches this rule yet.').isVisible()).toBe(true)
  })

  it('turns a rule off and on in the list, and undoes its deletion', async () => {
    const page = scene.open()
    await api.make('/v1/alert-rules', {
      name: 'Now and then',
      target: { type: 'server' },
      condition: { metric: 'status', operator: 'equals', value: 'offline' },
    })
    await page.goto(`${scene.origin}/alerts`)
    const row = page.getByRole('listitem').filter({ hasText: 'Now and then' })
    await row.getByRole('button', { name: /Disable/ }).click()
    await page.getByText('Now and then disabled').waitFor()
    expect((await named('Now and then')).enabled).toBe(false)
    await row.getByRole('button', { name: /Enable/ }).click()
    await page.getByText('Now and then enabled').waitFor()
    expect((await named('Now and then')).enabled).toBe(true)
    await row.getByRole('button', { name: /Delete/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Now and then deleted').waitFor()
    expect(await named('Now and then')).toBeUndefined()
    await page.getByRole('button', { name: 'Undo' }).last().click()
    await expect.poll(async () => (await named('Now and then'))?.condition.value).toBe('offline')
  })

  it('is closed to viewers', async () => {
    const page = await scene.openAs('viewer')
    await page.goto(`${scene.origin}/alerts/rules/add`)
    await page.getByText('Only members, admins and owners can change rules.').waitFor()
    expect(await page.getByRole('button', { name: 'Create rule' }).count()).toBe(0)
    await page.goto(`${scene.origin}/alerts`)
    await page.getByRole('heading', { name: 'Alert rules' }).waitFor()
    expect(await page.getByRole('link', { name: 'Add rule' }).count()).toBe(0)
  })

  it('reports no fault of a script', () => expect(scene.complaints).toEqual([]))
})
