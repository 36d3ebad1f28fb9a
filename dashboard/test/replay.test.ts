import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { LOCAL_TARGETS } from '../../backend/test/alert-fixture.ts'
import { watchRequests } from './editors/editor.ts'
import { plantOutages, type PlantedOutages } from './planted-outages.ts'
import { faultsOf, hasFocus, openScene, type Page, type Scene } from './dom/scene.ts'

describe('the page of replays', () => {
  let scene: Scene
  let planted: PlantedOutages

  beforeAll(async () => {
    scene = await openScene({ environment: LOCAL_TARGETS })
    planted = await plantOutages(scene)
    await scene.backend.pool.db.updateTable('app_user').set({ name: 'Ada Lovelace' }).execute()
  })
  afterAll(() => scene?.close())

  const open = async (page: Page) => {
    await page.goto(`${scene.origin}/replay`)
    await page.getByRole('heading', { level: 1, name: 'Replay' }).waitFor()
  }
  const run = async (page: Page) => {
    await page.getByRole('button', { name: /^Run / }).click()
    await page.getByRole('heading', { name: 'Result' }).waitFor()
  }
  const rowsOf = (page: Page, label: string) =>
    page.getByRole('group', { name: label, exact: true }).getByRole('row').allInnerTexts()
  const figuresOf = async (page: Page) =>
    (await rowsOf(page, 'Totals')).map((row) => row.split('\t').map((cell) => cell.replaceAll(/\s+/g, ' ').trim()))

  it('shows who would have been notified, and what a longer duration changes', { timeout: 120_000 }, async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/alerts`)
    await page.getByRole('link', { name: 'Replay' }).click()
    await page.getByRole('heading', { level: 1, name: 'Replay' }).waitFor()
    await run(page)
    expect(await figuresOf(page)).toEqual([
      ['Figure', 'Current'],
      ['Incidents', '4'],
      ['Incidents that nobody was notified of', '0'],
      ['Notifications', '8'],
      ['At night', '2'],
      ['People notified at night', '1'],
    ])
    expect((await rowsOf(page, 'People'))[1]).toMatch(/^Ada Lovelace \(.+@.+\)\t/)
    expect((await rowsOf(page, 'Notifications'))[1]).toContain('Ada Lovelace (')
    await page.getByRole('button', { name: 'Add changes' }).click()
    await page.getByLabel('Alert rule').selectOption('Shop is down')
    await page.getByLabel('For at least').selectOption('10 min')
    await page.getByText('The form has changed since this replay.').waitFor()
    const sent = watchRequests(page, 'POST')
    await run(page)
    await page.getByRole('heading', { name: 'What Set 1 changes' }).waitFor()
    expect(sent).toMatchObject([{ body: { sets: [{}, { alert_rules: [{ id: planted.ruleId, for_seconds: 600 }] }] } }])
    expect(await figuresOf(page)).toEqual([
      ['Figure', 'Current', 'Set 1'],
      ['Incidents', '4', '−2 2'],
      ['Incidents that nobody was notified of', '0', '0'],
      ['Notifications', '8', '−4 4'],
      ['At night', '2', '2'],
      ['People notified at night', '1', '1'],
    ])
    await page.getByText('4 notifications are new, 8 are gone.').waitFor()
    expect((await rowsOf(page, 'What Set 1 changes')).length).toBe(1 + 8 + 4)
    await page.getByRole('button', { name: 'Set 1', exact: true }).click()
    expect((await rowsOf(page, 'Notifications'))[2]).toMatch(/02:20[^]*Shop[^]*Team chat[^]*Opened, step 2/)
  })

  it('compares a policy and a quiet time in two sets, and says what it cannot replay', { timeout: 120_000 }, async () => {
    const page = scene.open()
    await open(page)
    await page.getByRole('button', { name: '7 days' }).click()
    await page.getByRole('button', { name: 'Add changes' }).click()
    await page.getByRole('button', { name: 'Remove change' }).click()
    await page.getByRole('button', { name: 'Escalation policy' }).click()
    await page.getByLabel('Escalation policy').selectOption('Shop on call')
    await page.getByLabel('Step 1 waits').selectOption('1 h')
    await page.getByRole('button', { name: 'Add a second set of changes' }).click()
    const second = page.locator('section', { has: page.getByRole('heading', { name: 'Set 2' }) })
    await second.getByRole('button', { name: 'Remove change' }).click()
    await second.getByRole('button', { name: 'Quiet time' }).click()
    await second.getByLabel('Member').selectOption({ index: 1 })
    await second.getByLabel('Time zone').selectOption('UTC')
    await second.getByText('Other changes as JSON').click()
    const set = { name: 'Calm', alert_rules: [{ id: planted.cpuId, for_seconds: 900 }] }
    await second.getByLabel('Set as JSON').fill(JSON.stringify([{}, set]))
    await run(page)
    expect(await figuresOf(page)).toEqual([
      ['Figure', 'Current', 'Set 1', 'Calm'],
      ['Incidents', '4', '4', '−1 3'],
      ['Incidents that nobody was notified of', '0', '0', '0'],
      ['Notifications', '8', '−2 6', '8'],
      ['At night', '2', '2', '−2 0'],
      ['People notified at night', '1', '1', '−1 0'],
      ['Waited for a quiet time', '0', '0', '+2 2'],
      ['Longest wait', '–', '–', '5 h'],
    ])
    await page.getByText('Calm: not everything could be replayed').waitFor()
    await page.getByRole('link', { name: 'CPU' }).waitFor()
    expect((await rowsOf(page, 'People'))[1]).toMatch(/2 waited, at most 5 h/)
  })

  it('shows what is wrong at its field, with what the API says about JSON', { timeout: 60_000 }, async () => {
    const page = scene.open()
    await open(page)
    await page.getByRole('button', { name: 'Other', exact: true }).click()
    await page.getByLabel('From').fill('2026-02-10T10:00')
    await page.getByLabel('To', { exact: true }).fill('2026-02-10T09:00')
    await page.getByRole('button', { name: 'Add changes' }).click()
    await page.getByText('Other changes as JSON').click()
    const json = page.getByLabel('Set as JSON')
    await json.fill('{ "without": ')
    await page.getByRole('button', { name: 'Run replay' }).click()
    await expect
      .poll(() => faultsOf(page))
      .toEqual({
        To: 'Choose an end after the start, at most 90 days later and not in the future.',
        'Alert rule': 'Choose a rule',
        'Set as JSON': expect.stringContaining('This is not JSON: '),
      })
    expect(await hasFocus(page, 'To')).toBe(true)
    await page.getByRole('button', { name: '7 days' }).click()
    await page.getByLabel('Alert rule').selectOption('CPU')
    await page.getByText('Its condition stays as it is').waitFor()
    await json.fill('[{ "without": [] }, { "schedules": [] }]')
    await expect.poll(async () => (await faultsOf(page))['Set as JSON']).toContain('These are several sets')
    await json.fill('{ "alert_rules": [{ "id": "alr_nothing" }], "with": [] }')
    await page.getByRole('button', { name: 'Run replay' }).click()
    await expect.poll(() => faultsOf(page)).toEqual({ 'Set as JSON': 'with: is unknown' })
    await json.fill('{ "alert_rules": [{ "id": "alr_nothing" }] }')
    await page.getByRole('button', { name: 'Run replay' }).click()
    await expect
      .poll(() => faultsOf(page))
      .toEqual({ 'Set as JSON': 'alert_rules.0.id: is not an alert rule of this organization' })
    expect(await hasFocus(page, 'Set as JSON')).toBe(true)
    await json.fill(`{ "without": ["${planted.policyId}"] }`)
    await page.getByRole('button', { name: 'Run replay' }).click()
    await expect
      .poll(() => faultsOf(page))
      .toEqual({ 'Set as JSON': 'without: must not name the escalation policy of the alert rule Shop is down' })
  })

  it('opens with a change of the policy whose page links to it', async () => {
    const page = scene.open()
    await page.goto(`${scene.origin}/alerts/policies/${planted.policyId}`)
    await page.getByRole('link', { name: 'Replay with changes' }).click()
    await expect.poll(() => page.getByLabel('Escalation policy').inputValue()).toBe(planted.policyId)
    expect(await page.getByLabel('Step 1 waits').inputValue()).toBe('600')
  })

  it('waits for another replay of the organization, can be cancelled, and bears a clock that is ahead', async () => {
    const page = scene.open()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 90 * 60_000 })
    onTestFinished(() => void vi.useRealTimers())
    await open(page)
    let refusals = 1
    await page.route('**/v1/replays', async (route) => {
      if (refusals === 0) return route.continue()
      refusals -= 1
      const error = {
        code: 'rate_limited',
        message: 'At most 1 of the replays of one organization may run at once.',
        request_id: 'req_1',
      }
      await route.fulfill({ status: 429, headers: { 'Retry-After': '1' }, json: { error } })
    })
    await page.getByRole('button', { name: 'Run replay' }).click()
    await page.getByText('Another replay of this organization is running.').waitFor()
    await page.getByRole('heading', { name: 'Result' }).waitFor()
    refusals = 100
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.getByText('Another replay of this organization is running.').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Run again' }).waitFor()
    expect((await figuresOf(page))[1]).toEqual(['Incidents', '4'])
  })

  it('says where nothing happened, and is closed to viewers', async () => {
    const page = scene.open()
    await open(page)
    await page.getByRole('button', { name: 'Other', exact: true }).click()
    await page.getByLabel('From').fill('2026-01-10T10:00')
    await page.getByLabel('To', { exact: true }).fill('2026-01-11T10:00')
    await run(page)
    await page.getByText('No rule would have opened an incident in this time.').waitFor()
    const viewer = await scene.openAs('viewer')
    await viewer.goto(`${scene.origin}/alerts`)
    await viewer.getByRole('link', { name: 'Shop is down' }).waitFor()
    expect(await viewer.getByRole('link', { name: 'Replay' }).count()).toBe(0)
    await viewer.goto(`${scene.origin}/replay`)
    await viewer.getByText('Only members, admins and owners can run a replay.').waitFor()
    expect(scene.complaints).toEqual([])
  })
})
