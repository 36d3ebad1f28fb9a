import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LOCAL_TARGETS } from '../../backend/test/alert-fixture.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { pageDefects } from './browser.ts'
import { createPages, faultsOf, hasFocus, openAs, watchRequests } from './editors/editor.ts'
import { plantOutages, type PlantedOutages } from './planted-outages.ts'
import { openSignedIn, type SignedIn, takePicture } from './signed-in.ts'

const MINUTE = 60_000

describe.skipIf(isMissing('chromium'))('the page of replays', () => {
  let scene: SignedIn
  let planted: PlantedOutages
  const pages = createPages(() => scene)

  beforeAll(async () => {
    scene = await openSignedIn({ browserOptions: { timezoneId: 'UTC' }, environment: LOCAL_TARGETS })
    planted = await plantOutages(scene)
  })
  afterAll(() => scene?.close())

  /** At the width of the smallest phones as well. */
  const check = async (page: Page, name: string) => {
    expect(await pageDefects(page), name).toEqual([])
    await takePicture(page, name)
    const size = page.viewportSize()
    if (!size || size.width > 600) return
    await page.setViewportSize({ width: 320, height: 700 })
    expect(await pageDefects(page), `${name} at 320 px`).toEqual([])
    await takePicture(page, name)
    await page.setViewportSize(size)
  }
  const open = async (page: Page) => {
    // Not the page of an unknown address.
    expect((await page.goto(`${scene.origin}/replay`))?.status()).toBe(200)
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
    for (const page of await pages.both()) {
      await page.goto(`${scene.origin}/alerts`)
      await page.getByRole('link', { name: 'Replay' }).click()
      await page.getByRole('heading', { level: 1, name: 'Replay' }).waitFor()
      await check(page, 'replay')
      await run(page)
      expect(await figuresOf(page)).toEqual([
        ['Figure', 'Current'],
        ['Incidents', '4'],
        ['Incidents that nobody was notified of', '0'],
        ['Notifications', '8'],
        ['At night', '2'],
        ['People notified at night', '1'],
      ])
      await check(page, 'replay-current')
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
      await check(page, 'replay-compared')
    }
  })

  it('compares a policy and a quiet time in two sets, and says what it cannot replay', { timeout: 120_000 }, async () => {
    for (const page of await pages.both()) {
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
      await check(page, 'replay-form')
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
      await check(page, 'replay-two-sets')
    }
  })

  it('shows what is wrong at its field, with what the API says about JSON', { timeout: 60_000 }, async () => {
    const page = await pages.narrow()
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
    await check(page, 'replay-faults')
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

  it('is used with the keyboard alone, from the page of a rule', { timeout: 60_000 }, async () => {
    const page = await pages.wide()
    await page.goto(`${scene.origin}/alerts/rules/${planted.ruleId}`)
    await page.getByRole('link', { name: 'Replay with changes' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByLabel('Alert rule').inputValue()).toBe(planted.ruleId)
    await page.getByRole('button', { name: 'Quiet time' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => hasFocus(page, 'Member')).toBe(true)
    await page.getByRole('button', { name: 'Remove change' }).last().focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Alert rule')
    await page.getByRole('button', { name: 'Remove Set 1' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Add changes')
    await page.keyboard.press('Enter')
    await expect.poll(() => hasFocus(page, 'Alert rule')).toBe(true)
    await page.keyboard.type('Shop')
    await page.getByLabel('Enabled').focus()
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Run replay' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Result')
    expect((await figuresOf(page))[1]).toEqual(['Incidents', '4', '−3 1'])
  })

  it('opens with a change of the policy whose page links to it', async () => {
    const page = await pages.narrow()
    await page.goto(`${scene.origin}/alerts/policies/${planted.policyId}`)
    await page.getByRole('link', { name: 'Replay with changes' }).click()
    await expect.poll(() => page.getByLabel('Escalation policy').inputValue()).toBe(planted.policyId)
    expect(await page.getByLabel('Step 1 waits').inputValue()).toBe('600')
  })

  it('waits for another replay of the organization, can be cancelled, and bears a clock that is ahead', async () => {
    const page = await pages.wide()
    await page.clock.setFixedTime(Date.now() + 90 * MINUTE)
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
    scene.complaints.splice(0)
  })

  it('says where nothing happened, and is closed to viewers', async () => {
    const page = await pages.wide()
    await open(page)
    await page.getByRole('button', { name: 'Other', exact: true }).click()
    await page.getByLabel('From').fill('2026-01-10T10:00')
    await page.getByLabel('To', { exact: true }).fill('2026-01-11T10:00')
    await run(page)
    await page.getByText('No rule would have opened an incident in this time.').waitFor()
    await check(page, 'replay-empty')
    const viewer = await openAs(scene, 'viewer')
    await viewer.goto(`${scene.origin}/alerts`)
    await viewer.getByRole('link', { name: 'Shop is down' }).waitFor()
    expect(await viewer.getByRole('link', { name: 'Replay' }).count()).toBe(0)
    await viewer.goto(`${scene.origin}/replay`)
    await viewer.getByText('Only members, admins and owners can run a replay.').waitFor()
    await viewer.context().close()
    expect(scene.complaints).toEqual([])
  })

  it('has room for German, in light and dark', { timeout: 60_000 }, async () => {
    const token = scene.owner.authorization.slice('Bearer '.length)
    for (const [width, colorScheme] of [
      [1440, 'dark'],
      [320, 'light'],
    ] as const) {
      const size = { width, height: 900 }
      const context = await scene.wide.context().browser()?.newContext({ locale: 'de-DE', colorScheme, viewport: size })
      if (!context) throw new Error('no browser')
      await context.addInitScript(`sessionStorage.setItem('vedette-token', ${JSON.stringify(token)})`)
      const page = await context.newPage()
      await page.goto(`${scene.origin}/replay?rule=${planted.ruleId}`)
      await page.getByLabel('Schweregrad').selectOption({ index: 0 })
      await page.getByRole('button', { name: 'Ruhezeit' }).click()
      await page.getByLabel('Mitglied').selectOption({ index: 1 })
      await page.getByRole('button', { name: 'Probelauf starten' }).click()
      await page.getByRole('heading', { name: 'Was Variante 1 ändert' }).waitFor()
      expect(await pageDefects(page)).toEqual([])
      await takePicture(page, 'replay-german')
      await context.close()
    }
  })
})
