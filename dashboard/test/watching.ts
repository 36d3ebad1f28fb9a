import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from '@vedette/client'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BreakableTarget, startTarget } from './breakable-target.ts'
import { faultsOf } from './browser.ts'
import type { RunningVedette } from './running-vedette.ts'

const AGENT = join(import.meta.dirname, '../../agent/src/main.ts')
/** What checks may reach of this host; its usual address stays closed. */
export const TARGET_HOST = '127.0.0.2'
/** Of a test that clicks through many pages, on a machine that is busy with other things: a bound for what hangs. */
export const PATIENCE_MS = 120_000

interface Stage {
  vedette: RunningVedette
  /** Signed in as owner. */
  page: Page
  asTheTab(): Promise<Client>
}

/**
 * What an owner does from a first monitor to its incident, without loading the page anew. Checks lie ten seconds apart, so other tests
 * stand between the parts.
 */
export function watching(stage: () => Stage): Record<'begins' | 'opens' | 'goesOn' | 'ends', () => void> {
  let target: BreakableTarget
  let rotatedAt = 0
  const places = () => stage().page.getByRole('navigation', { name: 'Main' })
  const go = (name: string) => places().getByRole('link', { name }).click()

  beforeAll(async () => {
    target = await startTarget(TARGET_HOST)
  })
  afterAll(() => target?.close())

  const begins = () => {
    it('shows the phases of a test before it keeps the monitor', { timeout: PATIENCE_MS }, async () => {
      const { page } = stage()
      await go('Monitors')
      await page.getByRole('link', { name: 'Add a monitor' }).first().click()
      await page.getByLabel('URL').fill(target.url)
      await page.getByRole('button', { name: 'Test' }).click()
      await page.getByText('First byte').waitFor()
      await page.getByLabel('Name').fill('Shop')
      await page.getByLabel('Interval').fill('10')
      await page.getByLabel('Confirmations').fill('1')
      expect(target.asked()).toBe(1)
      // From the first check on: one that follows is ten seconds away.
      target.set(true)
      await page.getByRole('button', { name: 'Add the monitor' }).click()
      await expect.poll(() => page.getByRole('heading', { level: 1 }).textContent()).toBe('Shop')
    })
  }

  const opens = () => {
    it('counts an incident as it opens, and shows its evidence', { timeout: PATIENCE_MS }, async () => {
      const { page } = stage()
      await places().getByText('1 open incident').waitFor({ timeout: 25_000 })
      await go('Incidents')
      await page.getByRole('link', { name: /^Shop is down/ }).click()
      await page.getByText('Newest check of each region').waitFor()
      await page.getByRole('button', { name: 'Acknowledge' }).click()
      await page.getByRole('main').getByText('acknowledged', { exact: true }).first().waitFor()
      expect(await faultsOf(page)).toEqual([])
      await page.getByRole('main').getByRole('link', { name: 'Shop', exact: true }).click()
      await page.getByText(/^Down for \d/).waitFor()
      await page.getByText('expected status 200 to 399: it is 503').first().waitFor()
      target.set(false)
    })
  }

  const goesOn = () => {
    it('makes an API key that curl uses as the page says [PAGE-02]', { timeout: PATIENCE_MS }, async () => {
      const { page } = stage()
      await go('Settings')
      await page.getByRole('link', { name: 'API keys' }).click()
      await page.getByRole('button', { name: 'Make a key' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('A script')
      await dialog.getByRole('button', { name: 'Make a key' }).click()
      const line = (await page.getByLabel('Try it', { exact: true }).textContent()) ?? ''
      expect(line).toMatch(/^curl /)
      const { stdout } = await promisify(execFile)('sh', ['-c', line.replace(/^curl /, 'curl -sS ')])
      const { servers } = JSON.parse(stdout) as { servers: { status: string }[] }
      expect(servers.map(({ status }) => status)).toContain('online')
      await dialog.getByRole('button', { name: 'Done' }).click()
      await page.getByText('A script').waitFor()
    })

    it('replaces the token of a host, and its agent takes the new one', { timeout: PATIENCE_MS }, async () => {
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
      await giveToken(vedette.agentConfig, token)
      await page.getByRole('dialog').getByRole('button', { name: 'Done' }).click()
    })

    it('makes a rule, a channel and a window, and has back what was deleted', { timeout: PATIENCE_MS }, async () => {
      const { page } = stage()
      await go('Alerts')
      await page.getByRole('link', { name: 'Add a rule' }).click()
      await page.getByRole('button', { name: 'Look back' }).click()
      await page.getByText(/in seven days/).waitFor()
      await page.getByRole('button', { name: 'Add the rule' }).click()
      await page.getByRole('button', { name: 'Delete: CPU: use above 90 %' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
      // Another may offer its own way back still.
      const told = page.getByText('CPU: use above 90 % is deleted').locator('..')
      await told.getByRole('button', { name: 'Undo' }).click()
      await page.getByText('CPU: use above 90 % is back').waitFor()

      await page.getByRole('link', { name: 'Channels' }).click()
      await page.getByRole('link', { name: 'Add a channel' }).click()
      await page.getByLabel('Name').fill('On call')
      await page.getByLabel('URL').fill(target.url)
      await page.getByRole('button', { name: 'Add the channel' }).click()
      expect(await page.getByRole('dialog').locator('pre').textContent()).toMatch(/^whsec_/)
      await page.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('button', { name: 'Test: On call' }).click()
      await page.getByText('The service took it.').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()

      await page.getByRole('link', { name: 'Maintenance' }).click()
      await page.getByRole('link', { name: 'Add a window' }).click()
      await page.getByLabel('Name').fill('Updates')
      await page.getByLabel('Repeats').selectOption('weekly')
      await page.getByLabel('Sun').check()
      await page.getByRole('button', { name: 'Add the window' }).click()
      await page.getByText(/each week on Sun/).waitFor()
      expect(await faultsOf(page)).toEqual([])
    })
  }

  const ends = () => {
    it('shows without a reload that the incident is over', { timeout: PATIENCE_MS }, async () => {
      const { page } = stage()
      await go('Incidents')
      await page.getByRole('link', { name: /^Shop is down/ }).click()
      await page.getByRole('main').getByText('resolved', { exact: true }).first().waitFor({ timeout: 25_000 })
      await expect.poll(() => page.getByRole('button', { name: 'Resolve' }).count()).toBe(0)
      await expect.poll(() => places().getByText('open incident').count()).toBe(0)
    })

    it('has samples of the host from after its new token', { timeout: PATIENCE_MS }, async () => {
      const { servers } = await stage().asTheTab()
      const newest = async () => (await servers.list({ include: 'metrics' })).servers[0]
      await expect
        // The page reads under the same limit; an agent that pushed between its two tokens looks after a minute.
        .poll(async () => Date.parse((await newest())?.metrics?.sampled_at ?? ''), { timeout: 70_000, interval: 1_000 })
        .toBeGreaterThan(rotatedAt)
      expect((await newest())?.status).toBe('online')
    })
  }
  return { begins, opens, goesOn, ends }
}

/** As the line says that the page shows, but for `sudo` and the place of this agent's config. */
async function giveToken(config: string, token: string): Promise<void> {
  const child = spawn(process.execPath, [AGENT, 'token', 'set', '--config', config], { stdio: ['pipe', 'ignore', 'inherit'] })
  child.stdin.end(token)
  const [code] = await once(child, 'exit')
  expect(code).toBe(0)
}
