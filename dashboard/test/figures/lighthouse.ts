import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Client } from '@vedette/client'
import { chromium, type Page } from 'playwright-core'
import { findTool } from '../../../scripts/test-tools.ts'
import { OWNER } from '../screenshots/seed.ts'

/** Fetched by npx instead of a dependency, since it brings 150 packages. */
const LIGHTHOUSE = 'lighthouse@13.5.0'
const PORT = 9_333
/** The event stream keeps the network busy; without this limit Lighthouse waits 45 s for each load. */
const MAX_WAIT_MS = 6_000
const DESKTOP = ['--preset=desktop']
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const
const ALL_AUDITS: readonly string[] = []
/** Search engines should not list an installation: robots.txt keeps them out. */
const UNLISTED: readonly string[] = ['--skip-audits=is-crawlable']
const FLAGS = ['--headless', '--no-sandbox', '--disable-gpu', `--remote-debugging-port=${PORT}`]

interface Report {
  finalDisplayedUrl: string
  categories: Record<string, { score: number; auditRefs: { id: string; weight: number }[] }>
  audits: Record<string, { score: number | null; numericValue?: number }>
}

type Figures = Awaited<ReturnType<typeof medianOf>>

/** The median scores of signed-in pages on a desktop and on a phone, and the audits that lowered the score of the last round. */
export const lighthouseFigures = (client: Client, origin: string, rounds: number) =>
  withSignedInTab(origin, async (page, folder) => {
    const [server] = (await client.servers.list({ q: 'db-primary' })).servers
    const [monitor] = (await client.monitors.list({ q: 'Checkout' })).monitors
    const [incident] = (await client.incidents.list({ limit: 1 })).incidents
    const figures: Record<string, Figures> = {}
    const paths = ['/', '/servers', `/servers/${server?.id}`, `/monitors/${monitor?.id}`, `/incidents/${incident?.id}`]
    for (const [device, preset] of [
      ['desktop', DESKTOP],
      ['phone', []],
    ] as const)
      for (const path of paths) {
        const [, noun, id] = path.split('/')
        const name = `${noun || 'overview'}${id === undefined && noun ? ' list' : ''} ${device}`
        figures[name] = await medianOf(folder, `${origin}${path}`, rounds, preset)
      }
    await page.getByRole('button', { name: 'Account and preferences' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByLabel('Password').waitFor()
    figures['sign-in'] = await medianOf(folder, `${origin}/`, rounds, DESKTOP)
    return figures
  })

/** The same of the list of monitors on a phone, as Lighthouse measures by default: CPU and network are those of a middling one. */
export const phoneFigures = (origin: string, rounds: number): Promise<Figures> =>
  withSignedInTab(origin, (_page, folder) => medianOf(folder, `${origin}/monitors`, rounds, []))

/** A public status page that search engines may list, on a phone and on a desktop. */
export const publicPageFigures = async (url: string, rounds: number): Promise<Record<'phone' | 'desktop', Figures>> =>
  withTab(async (folder) => ({
    phone: await medianOf(folder, url, rounds, [], ALL_AUDITS),
    desktop: await medianOf(folder, url, rounds, DESKTOP, ALL_AUDITS),
  }))

/** A signed-in tab shares its session with the tabs that Lighthouse opens. */
function withSignedInTab<T>(origin: string, work: (page: Page, folder: string) => Promise<T>): Promise<T> {
  return withTab(async (folder, page) => {
    await page.goto(origin)
    await page.getByLabel('Email').fill(OWNER.email)
    await page.getByLabel('Password').fill(OWNER.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    return work(page, folder)
  })
}

async function withTab<T>(work: (folder: string, page: Page) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-lighthouse-'))
  const executablePath = findTool('chromium') ?? ''
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), { executablePath, args: FLAGS })
  try {
    const [page = await context.newPage()] = context.pages()
    return await work(folder, page)
  } finally {
    await context.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function medianOf(folder: string, url: string, rounds: number, preset: readonly string[], skipped = UNLISTED) {
  const reports: Report[] = []
  for (let round = 0; round < rounds; round += 1) {
    const path = join(folder, 'report.json')
    await runLighthouse([
      '-y',
      LIGHTHOUSE,
      url,
      `--port=${PORT}`,
      '--disable-storage-reset',
      `--max-wait-for-load=${MAX_WAIT_MS}`,
      ...preset,
      '--quiet',
      '--output=json',
      `--output-path=${path}`,
      `--only-categories=${CATEGORIES.join(',')}`,
      ...skipped,
    ])
    const report = JSON.parse(readFileSync(path, 'utf8')) as Report
    if (report.finalDisplayedUrl !== url) throw new Error(`${url} led to ${report.finalDisplayedUrl}`)
    reports.push(report)
  }
  const scores = Object.fromEntries(
    CATEGORIES.map((name) => {
      const scores = reports.map(({ categories }) => (categories[name]?.score ?? 0) * 100).toSorted((one, other) => one - other)
      return [name, Math.round(scores[Math.floor(rounds / 2)] ?? 0)]
    }),
  )
  const blocking = reports
    .map(({ audits }) => audits['total-blocking-time']?.numericValue ?? Number.NaN)
    .toSorted((one, other) => one - other)
  return {
    scores,
    blockingMs: Math.round(blocking[Math.floor(rounds / 2)] ?? Number.NaN),
    marked: reports.at(-1) ? markedBy(reports.at(-1) as Report) : [],
  }
}

/** On a busy machine Chromium sometimes loses the beginning of a load: Lighthouse says then to run it again. */
const MOST_TRIES = 3

async function runLighthouse(args: readonly string[]): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await promisify(execFile)('npx', args)
      return
    } catch (error) {
      if (tries === MOST_TRIES || !String(error).includes('NO_NAVSTART')) throw error
    }
  }
}

/** The audits that lower a score. */
function markedBy({ categories, audits }: Report): string[] {
  const counted = CATEGORIES.flatMap((name) => categories[name]?.auditRefs ?? []).filter(({ weight }) => weight > 0)
  return counted.map(({ id }) => id).filter((id) => (audits[id]?.score ?? 1) < 0.9)
}
