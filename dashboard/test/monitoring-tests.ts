import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from '@vedette/client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BreakableTarget, startTarget } from './breakable-target.ts'
import { pageDefects } from './browser.ts'
import type { RunningVedette } from './running-vedette.ts'

const AGENT = join(import.meta.dirname, '../../agent/src/main.ts')
/** The only address of this host that checks may reach. */
export const TARGET_HOST = '127.0.0.2'
/** A bound for hangs: a test opens many pages, and the machine may be busy. */
export const TEST_TIMEOUT_MS = 120_000

interface Stage {
  vedette: RunningVedette
  /** Signed in as the owner. */
  page: Page
  asTheTab(): Promise<Client>
}

/**
 * The tests of an owner from a first monitor to its incident, without a reload. Checks are ten seconds apart, so that the caller runs
 * other tests between the parts.
 */
export function monitoringTests(
  stage: () => Stage,
): Record<'createMonitor' | 'openIncident' | 'configure' | 'resolveIncident', () => void> {
  let target: BreakableTarget
  let rotatedAt = 0
  const navigation = () => stage().page.getByRole('navigation', { name: 'Main' })
  const go = (name: string) => navigation().getByRole('link', { name }).click()

  beforeAll(async () => {
    target = await startTarget(TARGET_HOST)
  })
  afterAll(() => target?.close())

  const createMonitor = () => {
    it('shows the phases of a test before it saves the monitor', { timeout: TEST_TIMEOUT_MS }, async () => {
      const { page } = stage()
      await go('Monitors')
      await page.getByRole('link', { name: 'Add monitor' }).first().click()
      await page.getByLabel('What do you want to monitor?').fill(target.url)
      await page
        .getByRole('region', { name: 'Proposals' })
        .getByRole('button', { name: /^Website or API/ })
        .first()
        .click()
      await page.getByRole('button', { name: 'Test' }).click()
      await page.getByText('First byte').waitFor()
      await page.getByLabel('Name').fill('Shop')
      await page.getByLabel('Interval').fill('10')
      await page.getByLabel('Confirmations').fill('1')
      expect(target.requestCount()).toBe(1)
      // The first check already finds it broken; the next one is ten seconds later.
      target.setBroken(true)
      await page.getByRole('button', { name: 'Create monitor' }).click()
      await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Shop')
    })
  }

  const openIncident = () => {
    it('counts an incident when it opens, and shows its evidence', { timeout: TEST_TIMEOUT_MS }, async () => {
      const { page } = stage()
      await navigation().getByText('1 open incident').waitFor({ timeout: 25_000 })
      await go('Incidents')
      await page.getByRole('link', { name: /^Shop is down/ }).click()
      await page.getByText('Latest check per region').waitFor()
      await page.getByRole('button', { name: 'Acknowledge' }).click()
      await page.getByRole('main').getByText('Acknowledged', { exact: true }).first().waitFor()
      expect(await pageDefects(page)).toEqual([])
      await page.getByRole('main').getByRole('link', { name: 'Shop', exact: true }).click()
      await page.getByText(/^Down for \d/).waitFor()
      await page.getByText('status 503 (expected 200–399)').first().waitFor()
      target.setBroken(false)
    })
  }

  const configure = () => {
    it('creates an API key that works in the example request of the page [PAGE-02]', { timeout: TEST_TIMEOUT_MS }, async () => {
      const { page } = stage()
      await go('Settings')
      await page.getByRole('link', { name: 'API keys' }).click()
      await page.getByRole('button', { name: 'Create key' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('A script')
      await dialog.getByRole('button', { name: 'Create key' }).click()
      const line = (await page.getByLabel('Example request', { exact: true }).textContent()) ?? ''
      expect(line).toMatch(/^curl /)
      const { stdout } = await promisify(execFile)('sh', ['-c', line.replace(/^curl /, 'curl -sS ')])
      const { servers } = JSON.parse(stdout) as { servers: { status: string }[] }
      expect(servers.map(({ status }) => status)).toContain('online')
      await dialog.getByRole('button', { name: 'Done' }).click()
      await page.getByText('A script').waitFor()
    })

    it('regenerates the token of a server, and its agent accepts the new one', { timeout: TEST_TIMEOUT_MS }, async () => {
      const { page, vedette } = stage()
      await go('Servers')
      await page.getByRole('main').getByRole('listitem').getByRole('link').first().click()
      await page.getByRole('main').getByRole('button', { name: 'Edit' }).click()
      await page.getByRole('menuitem', { name: /token/ }).click()
      await page.getByRole('dialog').getByRole('button', { name: /token/ }).click()
      const line = (await page.getByRole('dialog').locator('pre').textContent()) ?? ''
      const token = /'(vdt_\w+)'/.exec(line)?.[1] ?? ''
      expect(line).toContain('vedette-agent token set')
      rotatedAt = Date.now()
      await setToken(vedette.agentConfig, token)
      await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
    })

    it('creates a rule, a channel and a window, and restores a deleted rule', { timeout: TEST_TIMEOUT_MS }, async () => {
      const { page } = stage()
      await go('Alerts')
      await page.getByRole('link', { name: 'Add rule' }).click()
      await page.getByRole('button', { name: 'Run preview' }).click()
      await page.getByText(/in 7 days/).waitFor()
      await page.getByRole('button', { name: 'Create rule' }).click()
      await page.getByRole('button', { name: 'Delete: CPU usage is above 90 %' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      // An earlier message may still offer its own undo.
      const toast = page.getByText('CPU usage is above 90 % deleted').locator('..')
      await toast.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('CPU usage is above 90 % restored').waitFor()

      await page.getByRole('link', { name: 'Channels' }).click()
      await page.getByRole('link', { name: 'Add channel' }).click()
      await page.getByLabel('Name').fill('On call')
      await page.getByLabel('URL').fill(target.url)
      await page.getByRole('button', { name: 'Create channel' }).click()
      expect(await page.getByRole('dialog').locator('pre').textContent()).toMatch(/^whsec_/)
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('button', { name: 'Test: On call' }).click()
      await page.getByText('Test notification delivered.').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()

      await page.getByRole('link', { name: 'Maintenance' }).click()
      await page.getByRole('link', { name: 'Add window' }).click()
      await page.getByLabel('Name').fill('Updates')
      await page.getByLabel('Repeats').selectOption('weekly')
      await page.getByLabel('Sun').check()
      await page.getByRole('button', { name: 'Create window' }).click()
      await page.getByText(/Every week on Sun/).waitFor()
      expect(await pageDefects(page)).toEqual([])
    })
  }

  const resolveIncident = () => {
    it('shows the end of the incident without a reload', { timeout: TEST_TIMEOUT_MS }, async () => {
      const { page } = stage()
      await go('Incidents')
      await page.getByRole('button', { name: /^Resolved/ }).click()
      await page.getByRole('link', { name: /^Shop is down/ }).click({ timeout: 25_000 })
      await page.getByRole('main').getByText('Resolved', { exact: true }).first().waitFor()
      await expect.poll(() => page.getByRole('button', { name: 'Resolve' }).count()).toBe(0)
      await expect.poll(() => navigation().getByText('open incident').count()).toBe(0)
    })

    it('receives samples of the server that are newer than its token', { timeout: TEST_TIMEOUT_MS }, async () => {
      const { servers } = await stage().asTheTab()
      const newest = async () => (await servers.list({ include: 'metrics' })).servers[0]
      await expect
        // The page shares the rate limit. An agent whose push was rejected tries again after a minute.
        .poll(async () => Date.parse((await newest())?.metrics?.sampled_at ?? ''), { timeout: 70_000, interval: 1_000 })
        .toBeGreaterThan(rotatedAt)
      expect((await newest())?.status).toBe('online')
    })
  }
  return { createMonitor, openIncident, configure, resolveIncident }
}

/** Runs the command that the page shows, without `sudo` and with the config file of this agent. */
async function setToken(config: string, token: string): Promise<void> {
  const child = spawn(process.execPath, [AGENT, 'token', 'set', '--config', config], { stdio: ['pipe', 'ignore', 'inherit'] })
  child.stdin.end(token)
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
}
