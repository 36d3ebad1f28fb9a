import { createClient } from '@vedette/client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isMissing } from '../../scripts/test-tools.ts'
import { type BreakableTarget, startTarget } from './breakable-target.ts'
import { openBrowser, type TestBrowser } from './browser.ts'
import { TARGET_HOST } from './monitoring-tests.ts'
import { type RunningVedette, startVedette } from './running-vedette.ts'

const [EMAIL, COLLEAGUE] = ['ada@example.com', 'grace@example.com']
const PASSWORD = 'correct horse battery staple'
const MOST = { clicks: 20, fields: 12 }
const TIMEOUT_MS = 180_000

/** What people do at pages, counted. Taps and keys that confirm are clicks. */
function counted() {
  const counts = { clicks: 0, fields: 0 }
  return {
    counts,
    click: async (page: Page, role: 'button' | 'link', name: string | RegExp) => {
      counts.clicks += 1
      await page.getByRole(role, { name }).first().click()
    },
    fill: async (page: Page, label: string, value: string) => {
      counts.fields += 1
      await page.getByLabel(label, { exact: true }).first().fill(value)
    },
  }
}

describe.skipIf(isMissing('chromium'))('somebody new, without the documentation', () => {
  let vedette: RunningVedette
  let target: BreakableTarget
  let browser: TestBrowser
  const { counts, click, fill } = counted()
  beforeAll(async () => {
    target = await startTarget(TARGET_HOST)
    target.setBroken(true)
    vedette = await startVedette({
      VEDETTE_ALLOW_PRIVATE_TARGETS: `${TARGET_HOST}/32`,
      VEDETTE_SAMPLE_INTERVAL_SECONDS: '2',
      VEDETTE_PUSH_INTERVAL_SECONDS: '5',
    })
    browser = await openBrowser({ reducedMotion: 'reduce' })
  }, 90_000)
  afterAll(async () => {
    await Promise.all([browser?.close(), vedette?.stop(), target?.close()])
  }, 30_000)

  it('sets up, and sees the own host without doing anything', { timeout: TIMEOUT_MS }, async () => {
    const [{ page }] = browser.viewers
    await page.goto(vedette.readyUrl)
    await fill(page, 'Your email', EMAIL)
    await fill(page, 'Password', PASSWORD)
    await fill(page, 'Organization', 'Acme')
    await click(page, 'button', 'Create account')
    await page.getByText(/First server: the host of Vedette: done/).waitFor()
    expect(counts).toEqual({ clicks: 1, fields: 3 })
  })

  it('adds a second host by the line of the page', { timeout: TIMEOUT_MS }, async () => {
    const [{ page }] = browser.viewers
    await click(page, 'link', 'Add server')
    await click(page, 'button', 'Create token')
    const lines = (await page.getByLabel('Run this on the host', { exact: true }).textContent()) ?? ''
    // What the line does is tested with it (installers/test/install-sh.test.ts).
    const { origin } = new URL(vedette.readyUrl)
    const agent = createClient({ baseUrl: origin, apiKey: /(vdt_enr_\w+)/.exec(lines)?.[1] ?? '' })
    const host = { os: 'Debian', kernel: '6.12', arch: 'x64', agent_version: '0.1.0', machine_id: 'second' }
    const { token } = await agent.agent.register({ hostname: 'web-1', ...host })
    const at = new Date().toISOString()
    const batch = {
      batch_id: crypto.randomUUID(),
      sent_at: at,
      agent_version: '0.1.0',
      samples: [{ at, cpu: { percent: 12.5 } }],
    }
    await createClient({ baseUrl: origin, apiKey: token }).agent.submitMetrics(batch)
    await page.getByText('web-1 is connected').waitFor()
    expect(counts).toEqual({ clicks: 3, fields: 3 })
  })

  it('types an address into the one box', { timeout: TIMEOUT_MS }, async () => {
    const [{ page }] = browser.viewers
    await click(page, 'link', 'Monitors')
    await click(page, 'link', 'Add monitor')
    await fill(page, 'What do you want to monitor?', target.url)
    counts.clicks += 1
    await page.keyboard.press('Enter')
    await click(page, 'button', 'Create monitor')
    await page.getByText(/^Down for \d/).waitFor({ timeout: 150_000 })
    expect(counts).toEqual({ clicks: 7, fields: 4 })
  })

  it('acknowledges what is down on the phone in two taps', { timeout: TIMEOUT_MS }, async () => {
    const [, { page }] = browser.viewers
    await page.goto(new URL(vedette.readyUrl).origin)
    await fill(page, 'Email', EMAIL)
    await fill(page, 'Password', PASSWORD)
    await click(page, 'button', 'Sign in')
    await click(page, 'link', / is down: /)
    await click(page, 'button', 'Acknowledge')
    await page.getByRole('main').getByText('Acknowledged', { exact: true }).first().waitFor()
    expect(counts).toEqual({ clicks: 10, fields: 6 })
  })

  it('publishes a status page', { timeout: TIMEOUT_MS }, async () => {
    const [{ page }] = browser.viewers
    await click(page, 'link', 'Status pages')
    await click(page, 'link', 'Create status page')
    await click(page, 'button', TARGET_HOST)
    await click(page, 'button', 'Create status page')
    await click(page, 'button', 'Publish')
    await page.getByText('Published', { exact: true }).first().waitFor()
    expect(counts).toEqual({ clicks: 15, fields: 6 })
  })

  it('invites a colleague, who accepts', { timeout: TIMEOUT_MS }, async () => {
    const [{ page, context }] = browser.viewers
    await click(page, 'link', 'Settings')
    await click(page, 'link', 'Members')
    await click(page, 'button', 'Invite')
    await fill(page, 'Email', COLLEAGUE)
    counts.clicks += 1
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click()
    const link = (await page.getByRole('dialog').locator('pre').textContent()) ?? ''
    const other = await context.browser()?.newPage()
    if (!other) throw new Error('no browser')
    await other.goto(link.trim())
    await fill(other, 'Password', PASSWORD)
    await click(other, 'button', 'Accept')
    await other.getByRole('navigation', { name: 'Main' }).waitFor()
    await other.context().close()
    expect(counts).toEqual({ clicks: 20, fields: 8 })
  })

  it(`needs at most ${MOST.clicks} clicks and ${MOST.fields} fields for all of it`, () => {
    console.info(`a newcomer: ${counts.clicks} clicks, ${counts.fields} fields`)
    expect(counts.clicks).toBeLessThanOrEqual(MOST.clicks)
    expect(counts.fields).toBeLessThanOrEqual(MOST.fields)
  })
})
