import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faultsOf, hasFocus, openScene, type Page, type Scene } from '../dom/scene.ts'
import { asOwner, watchRequests } from './editor.ts'

describe('the editor of maintenance windows', () => {
  let scene: Scene
  let api: ReturnType<typeof asOwner>
  beforeAll(async () => {
    scene = await openScene()
    api = asOwner(scene)
  })
  afterAll(() => scene?.close())

  const openNew = async (page: Page) => {
    await page.goto(`${scene.origin}/alerts/maintenance/add`)
    await page.getByLabel('Starts').waitFor()
  }
  const create = async (page: Page) => {
    await page.getByRole('button', { name: 'Create window' }).click()
    await page.getByRole('heading', { name: 'Maintenance windows' }).waitFor()
  }
  const named = async (name: string) =>
    (await api.read('/v1/maintenance-windows?limit=100')).maintenance_windows.find(
      (window: { name: string }) => window.name === name,
    )
  const fill = async (page: Page, name: string, zone = 'Europe/Berlin') => {
    await page.getByLabel('Name').first().fill(name)
    await page.getByLabel('Time zone').selectOption(zone)
    await page.getByLabel('Starts').fill('2027-07-04T22:00')
    await page.getByLabel('Ends').fill('2027-07-05T01:30')
  }

  it('stores local times of the chosen zone', async () => {
    const page = scene.open()
    await openNew(page)
    await fill(page, `Upgrade 0`)
    await create(page)
    expect(await named(`Upgrade 0`)).toMatchObject({
      starts_at: '2027-07-04T20:00:00.000Z',
      ends_at: '2027-07-04T23:30:00.000Z',
      time_zone: 'Europe/Berlin',
      repeat: null,
    })
  })

  it.each([
    ['Every day', [], 'FREQ=DAILY'],
    ['Every week', ['Sat', 'Sun'], 'FREQ=WEEKLY;BYDAY=SA,SU'],
    ['Every month on this day', [], 'FREQ=MONTHLY;BYMONTHDAY=4'],
  ] as const)('repeats %s on %j', async (repeat, days, rule) => {
    const page = scene.open()
    await openNew(page)
    await fill(page, `${repeat}, ${days.length} days`)
    await page.getByLabel('Repeats').selectOption({ label: repeat })
    for (const day of await page.getByRole('group', { name: 'Days' }).getByRole('checkbox').all()) await day.uncheck()
    for (const day of days) await page.getByLabel(day, { exact: true }).check()
    await create(page)
    expect((await named(`${repeat}, ${days.length} days`)).repeat).toBe(rule)
  })

  it('shows a monthly rule of another day than the first one as it is', async () => {
    const page = scene.open()
    const body = {
      name: 'On the 15th',
      target: { type: 'server' },
      starts_at: '2027-07-04T20:00:00.000Z',
      ends_at: '2027-07-04T22:00:00.000Z',
      time_zone: 'UTC',
    }
    const { id } = await api.make('/v1/maintenance-windows', { ...body, repeat: 'FREQ=MONTHLY;BYMONTHDAY=15' })
    await page.goto(`${scene.origin}/alerts/maintenance/${id}`)
    await page.getByLabel('Ends').waitFor()
    expect(await page.getByLabel('Repeats').inputValue()).toBe('custom')
    await page.getByLabel('Starts').fill('2027-07-05T20:00')
    await page.getByLabel('Ends').fill('2027-07-05T22:00')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Maintenance windows' }).waitFor()
    expect(await named('On the 15th')).toMatchObject({
      starts_at: '2027-07-05T20:00:00.000Z',
      repeat: 'FREQ=MONTHLY;BYMONTHDAY=15',
    })
  })

  it('asks for the one target, and takes one that is found by keys alone', async () => {
    const { id } = await api.make('/v1/monitors', { name: 'Checkout', url: 'https://shop.example.com/' })
    const page = scene.open()
    await openNew(page)
    await fill(page, 'Of one')
    await page.getByRole('button', { name: 'Monitors', exact: true }).press('Enter')
    await page.getByRole('button', { name: 'Single' }).press('Enter')
    await page.getByLabel('Name').first().press('Enter')
    await expect.poll(() => hasFocus(page, 'Search monitors')).toBe(true)
    expect(await faultsOf(page)).toEqual({ 'Search monitors': 'Fill this in.' })
    await page.keyboard.type('checkout')
    await page.getByRole('button', { name: 'Checkout' }).press('Enter')
    expect(await faultsOf(page)).toEqual({})
    await create(page)
    expect((await named('Of one')).target).toEqual({ type: 'monitor', id, tag: null })
  })

  it('shows what only the API knows next to its field: an end that is not after the start', async () => {
    const page = scene.open()
    await openNew(page)
    await fill(page, 'Backwards')
    await page.getByLabel('Ends').fill('2027-07-04T21:00')
    await page.getByRole('button', { name: 'Create window' }).click()
    await expect.poll(() => faultsOf(page)).toEqual({ Ends: 'must be after starts_at' })
    await expect.poll(() => hasFocus(page, 'Ends')).toBe(true)
    expect(await named('Backwards')).toBeUndefined()
  })

  it('takes a rule of RFC 5545, and shows what the API says of a wrong one next to it', async () => {
    const page = scene.open()
    await openNew(page)
    await fill(page, 'By rule')
    await page.getByLabel('Repeats').selectOption({ label: 'Custom' })
    await page.getByLabel('RRULE').fill('FREQ=SECONDLY')
    await page.getByRole('button', { name: 'Create window' }).click()
    await page.getByText('One field needs a change.').or(page.locator('[aria-invalid]')).first().waitFor()
    expect(Object.keys(await faultsOf(page))).toEqual(['RRULE'])
    expect(await named('By rule')).toBeUndefined()
    await page.getByLabel('RRULE').fill('FREQ=MONTHLY;BYDAY=1SU')
    await create(page)
    expect((await named('By rule')).repeat).toBe('FREQ=MONTHLY;BYDAY=1SU')
  })

  it('says that a local time does not exist before it is saved', async () => {
    const page = scene.open()
    await openNew(page)
    await fill(page, 'Skipped')
    await page.getByLabel('Starts').fill('2027-03-28T02:30')
    await page.getByLabel('Ends').fill('2027-03-28T04:00')
    const fault = page.getByText('This time does not exist in the time zone because of a daylight saving change.')
    await fault.waitFor()
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo')
    await fault.waitFor({ state: 'detached' })
    await create(page)
    expect((await named('Skipped')).starts_at).toBe('2027-03-27T17:30:00.000Z')
  })

  it('names each fault next to its field, all at once, and sends nothing', async () => {
    const page = scene.open()
    await openNew(page)
    const sent = watchRequests(page, 'POST')
    await page.getByLabel('Name').first().fill('  ')
    await page.getByLabel('Starts').fill('')
    await page.getByLabel('Ends').fill('')
    await page.getByRole('button', { name: 'By tag', exact: true }).click()
    await page.getByRole('button', { name: 'Create window' }).click()
    await page.getByText('fields need a change').waitFor()
    expect(Object.keys(await faultsOf(page))).toEqual(['Name', 'Tag', 'Starts', 'Ends'])
    expect(await hasFocus(page, 'Name')).toBe(true)
    expect(sent).toEqual([])
  })

  it('saves only what was changed, and ends a window by its deletion', async () => {
    const page = scene.open()
    const body = {
      name: 'Night',
      target: { type: 'server' },
      starts_at: '2027-07-04T20:00:00.000Z',
      ends_at: '2027-07-04T22:00:00.000Z',
    }
    const { id } = await api.make('/v1/maintenance-windows', { ...body, time_zone: 'Europe/Berlin' })
    await page.goto(`${scene.origin}/alerts/maintenance/${id}`)
    await page.getByLabel('Ends').waitFor()
    expect(await page.getByLabel('Starts').inputValue()).toBe('2027-07-04T22:00')
    const sent = watchRequests(page, 'PATCH')
    await page.getByLabel('Ends').fill('2027-07-05T02:00')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Maintenance windows' }).waitFor()
    expect(sent.map((request) => request.body)).toEqual([{ ends_at: '2027-07-05T00:00:00.000Z' }])
    await page
      .getByRole('listitem')
      .filter({ hasText: 'Night' })
      .getByRole('button', { name: /Delete/ })
      .click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Night deleted').waitFor()
    expect(await named('Night')).toBeUndefined()
  })

  it('is closed to viewers', async () => {
    const page = await scene.openAs('viewer')
    await page.goto(`${scene.origin}/alerts/maintenance/add`)
    await page.getByText('Only members, admins and owners can change maintenance windows.').waitFor()
    expect(await page.getByRole('button', { name: 'Create window' }).count()).toBe(0)
  })

  it('reports no fault of a script', () => expect(scene.complaints).toEqual([]))
})
