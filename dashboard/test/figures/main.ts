// Size and speed of the dashboard: `npm run bench -- page [--lighthouse] [--rounds 5] [--minutes 1]`. Prints one line of JSON.
// Script: gzipped, as built. Charts: from the first to the last canvas call of each redraw of a server's page, 300 points a line. Lists:
// 2,000 monitors, each checked once before the clock starts, and 1,000 servers without history; pages of 100 over HTTP, and from the
// click on the navigation to the first drawn row; keys in the filter of the monitors until the next frame; 400 days of a server, of
// which one has samples, until the last canvas call. Containers: 100 of a host, until the last row is there. Live: 500 changes of monitors
// a minute while their list is shown, for --minutes; the longest task of the page, and what its heap has grown by after a collection.
// --lighthouse adds the scores of Lighthouse, which npx fetches: of five pages on a desktop, of a public status page on both, and of the
// list of monitors on a phone, with 100 monitors that have a history, and with 2,000.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { type Page } from 'playwright-core'
import { createClient } from '@vedette/client'
import { openBrowser, WHOLE_CHROMIUM } from '../browser.ts'
import { startVedette } from '../running-vedette.ts'
import { OWNER, seed } from '../screenshots/seed.ts'
import { containerFigures } from './containers.ts'
import { lighthouseFigures, phoneFigures, publicPageFigures } from './lighthouse.ts'
import { scriptKilobytes } from './script.ts'

const MONITORS = 2_000
const FEW_MONITORS = 100
const SERVERS = 1_000
const AT_ONCE = 500
const HISTORY = join(import.meta.dirname, '../../../bench/samples/check-history.ts')
/** The time limit for the first check of each monitor. */
const CHECKED_MS = 120_000
const ROUNDS = 60
const REDRAWS = 12
const POINTS = 300
const UPDATES_A_MINUTE = 500

const { values: options } = parseArgs({
  options: {
    lighthouse: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
    minutes: { type: 'string', default: '1' },
  },
})

const round = (value: number): number => Math.round(value * 10) / 10
const quantile = (values: readonly number[], share: number): number =>
  round(values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? Number.NaN)

const vedette = await startVedette({ VEDETTE_RATE_LIMITS: 'off', VEDETTE_ALLOW_PRIVATE_TARGETS: 'all' })
const seeded = await seed(vedette)
const { origin } = new URL(vedette.readyUrl)
const { token } = await createClient({ baseUrl: origin }).auth.login(OWNER)
const client = createClient({ baseUrl: origin, token })
const browser = await openBrowser({}, WHOLE_CHROMIUM)
const [{ page }] = browser.viewers
try {
  const lighthouse = options.lighthouse ? await lighthouseFigures(client, origin, Number(options.rounds)) : undefined
  const publicPage = options.lighthouse ? await publicPageFigures(await publishPage(), Number(options.rounds)) : undefined
  if (options.lighthouse) await addMonitors(0, FEW_MONITORS)
  if (options.lighthouse) await promisify(execFile)(process.execPath, [HISTORY, vedette.dataDir])
  const phone = options.lighthouse ? await phoneFigures(origin, Number(options.rounds)) : undefined
  await signIn(page)
  const containers = await containerFigures(client, origin, page)
  const charts = await chartFigures(page)
  await fill()
  const fullPhone = options.lighthouse ? await phoneFigures(origin, Number(options.rounds)) : undefined
  const lists = await listFigures(page)
  const keyMs = await typingFigure(page)
  const live = await liveFigures(page, Number(options.minutes))
  const script = scriptKilobytes()
  const publicScores = Object.values(publicPage ?? {}).flatMap((page) => Object.values(page.scores))
  const scores = Object.values(lighthouse ?? {}).flatMap((page) => Object.values(page.scores))
  const figures = [
    ...(lighthouse
      ? [{ name: 'lowest Lighthouse score of five pages', value: Math.min(...scores), unit: 'points', goal: { atLeast: 98 } }]
      : []),
    ...(publicPage
      ? [
          {
            name: 'lowest Lighthouse score of a public status page',
            value: Math.min(...publicScores),
            unit: 'points',
            goal: { atLeast: 98 },
          },
        ]
      : []),
    ...[
      { figures: phone, name: `list of ${FEW_MONITORS} monitors on a phone, Lighthouse` },
      { figures: fullPhone, name: `list of monitors on a phone, of ${MONITORS}, Lighthouse` },
    ].flatMap(({ figures, name }) =>
      figures ? [{ name, value: figures.scores['performance'] ?? Number.NaN, unit: 'points', goal: { atLeast: 95 } }] : [],
    ),
    { name: 'script of the overview, gzipped', value: script.overview, unit: 'kB', goal: { atMost: 180 } },
    {
      name: 'script of the largest further page, gzipped',
      value: script.largestPage.kilobytes,
      unit: 'kB',
      goal: { atMost: 60 },
    },
    { name: '400 days of a server until drawn, median', value: charts.longMs, unit: 'ms', goal: { atMost: 300 } },
    { name: 'host with 100 containers, from its address in an empty tab', value: containers.openMs, unit: 'ms' },
    { name: 'host with 100 containers, from the click on the tab', value: containers.tabMs, unit: 'ms', goal: { atMost: 500 } },
    { name: 'key in the filter of 2,000 monitors, p95', value: keyMs, unit: 'ms', goal: { atMost: 50 } },
    { name: 'longest task at 500 live updates a minute', value: live.longestTaskMs, unit: 'ms', goal: { atMost: 50 } },
    { name: 'growth of the heap at 500 live updates a minute', value: live.grownMegabytes, unit: 'MB', goal: { atMost: 2 } },
    { name: `redraw of ${charts.charts} charts, median`, value: charts.drawMs.p50, unit: 'ms', goal: { atMost: 50 } },
    { name: 'page of 100 of 2,000 monitors over HTTP, p95', value: lists.monitors.httpMs.p95, unit: 'ms', goal: { atMost: 100 } },
    { name: 'page of 100 of 1,000 servers over HTTP, p95', value: lists.servers.httpMs.p95, unit: 'ms', goal: { atMost: 100 } },
    { name: 'click to the first monitor', value: lists.monitors.usableMs, unit: 'ms', goal: { atMost: 500 } },
    { name: 'click to the first server', value: lists.servers.usableMs, unit: 'ms', goal: { atMost: 500 } },
  ]
  console.log(
    JSON.stringify({
      figures,
      details: { script, charts, lists, live, ...(lighthouse && { lighthouse, publicPage, phone, fullPhone }) },
    }),
  )
} finally {
  await browser.close()
  await seeded.close()
  await vedette.stop()
}

/** A page that shows all it can of the monitors of the seed, and its address. */
async function publishPage(): Promise<string> {
  const section = { name: 'Services', tag: 'prod', show: ['uptime', 'response', 'regions'] as const }
  const body = { name: 'Acme', slug: 'acme', title: 'Acme status', published: true, indexed: true }
  await client.statusPages.create({ ...body, sections: [{ ...section, show: [...section.show] }] })
  const url = `${origin}/status/acme`
  while (!(await fetch(url)).ok) await new Promise((resolve) => setTimeout(resolve, 500))
  return url
}

async function signIn(page: Page): Promise<void> {
  await page.goto(origin)
  await page.getByLabel('Email').fill(OWNER.email)
  await page.getByLabel('Password').fill(OWNER.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
}

/** Redraws of all charts of a server at once, each with new data; ms. */
async function chartFigures(page: Page) {
  await page.addInitScript(watchCanvas)
  await page.route('**/metrics?*', (route) =>
    route.continue({
      url: route
        .request()
        .url()
        .replace(/points=\d+/, `points=${POINTS}`),
    }),
  )
  await page.goto(`${origin}/servers?q=db-primary`)
  await page.getByRole('link', { name: 'db-primary' }).click()
  await page.locator('canvas').nth(5).waitFor()
  const charts = await page.locator('canvas').count()
  const took: number[] = []
  for (let index = 0; index < REDRAWS; index += 1) {
    await page.evaluate('globalThis.canvasCalls = []')
    await page.getByRole('button', { name: index % 2 === 0 ? '24h' : '6h', exact: true }).click()
    await page.waitForTimeout(900)
    took.push(...spansOf(await page.evaluate<number[]>('globalThis.canvasCalls')))
  }
  const long: number[] = []
  for (let index = 0; index < REDRAWS; index += 1) {
    await page.getByRole('button', { name: '15m', exact: true }).click()
    await page.waitForTimeout(900)
    const begin = await page.evaluate<number>(
      "globalThis.canvasCalls = []; [...document.querySelectorAll('button')].find((one) => one.textContent.trim() === '400d').click(); performance.now()",
    )
    await page.waitForTimeout(1_500)
    const calls = await page.evaluate<number[]>('globalThis.canvasCalls')
    // The next redraw comes with the next answer, seconds later.
    long.push((calls.findLast((at, position) => position === 0 || at - (calls[position - 1] ?? 0) < 100) ?? Number.NaN) - begin)
    // Each answer is cached for ten seconds.
    await page.reload()
    await page.locator('canvas').nth(5).waitFor()
  }
  return { charts, points: POINTS, drawMs: { p50: quantile(took, 0.5), max: quantile(took, 1) }, longMs: quantile(long, 0.5) }
}

/** From a key in the filter of the list of monitors to the next frame, ms. */
async function typingFigure(page: Page): Promise<number> {
  await page.goto(`${origin}/monitors`)
  await page.getByRole('main').getByRole('listitem').first().waitFor()
  await page.evaluate(`globalThis.keys = []; addEventListener('keydown', () => {
    const begin = performance.now()
    requestAnimationFrame(() => setTimeout(() => globalThis.keys.push(performance.now() - begin)))
  }, true)`)
  const search = page.getByLabel('Search monitors')
  for (const text of ['site 19', 'site 4', 'shop', 'site 1234']) {
    await search.fill('')
    await search.pressSequentially(text, { delay: 120 })
  }
  return quantile(await page.evaluate<number[]>('globalThis.keys'), 0.95)
}

/** Monitors are paused and resumed while their list is shown. */
async function liveFigures(page: Page, minutes: number) {
  await page.goto(`${origin}/monitors?q=Site`)
  await page.getByRole('main').getByRole('listitem').first().waitFor()
  const { monitors } = await client.monitors.list({ q: 'Site', limit: 100 })
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.enable')
  const heap = async (): Promise<number> => {
    await session.send('HeapProfiler.collectGarbage')
    return (await session.send('Runtime.getHeapUsage')).usedSize
  }
  const update = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const begin = performance.now()
      const { id } = monitors[index % monitors.length] ?? { id: '' }
      await (Math.floor(index / monitors.length) % 2 === 0 ? client.monitors.pause(id) : client.monitors.resume(id))
      await page.waitForTimeout(Math.max(0, 60_000 / UPDATES_A_MINUTE - (performance.now() - begin)))
    }
  }
  // What is loaded and cached once is no growth.
  await update(UPDATES_A_MINUTE / 2)
  await page.evaluate(`globalThis.tasks = []
    new PerformanceObserver((list) => globalThis.tasks.push(...list.getEntries().map((each) => each.duration))).observe({ type: 'longtask' })`)
  const before = await heap()
  await update(UPDATES_A_MINUTE * minutes)
  const grown = (await heap()) - before
  const tasks = await page.evaluate<number[]>('globalThis.tasks')
  return {
    minutes,
    longestTaskMs: round(Math.max(0, ...tasks)),
    longTasks: tasks.length,
    grownMegabytes: round(grown / 1_000_000),
  }
}

/** Calls close together are one redraw. The longest one counts, the others move cursors. */
function spansOf(calls: readonly number[]): number[] {
  const spans: { from: number; to: number }[] = []
  for (const at of calls) {
    const last = spans.at(-1)
    if (last && at - last.to < 8) last.to = at
    else spans.push({ from: at, to: at })
  }
  return spans.length > 0 ? [Math.max(...spans.map(({ from, to }) => to - from))] : []
}

/** Runs in the page and records the time of each canvas call. */
function watchCanvas(): void {
  const all = globalThis as unknown as { canvasCalls: number[]; CanvasRenderingContext2D: { prototype: Record<string, unknown> } }
  all.canvasCalls = []
  const { prototype } = all.CanvasRenderingContext2D
  for (const name of ['clearRect', 'stroke', 'fill', 'fillText']) {
    const call = prototype[name] as (...rest: unknown[]) => unknown
    prototype[name] = function (...rest: unknown[]) {
      const begin = performance.now()
      const result = call.apply(this, rest)
      all.canvasCalls.push(begin, performance.now())
      return result
    }
  }
}

async function fill(): Promise<void> {
  const { key } = await client.apiKeys.create({ name: 'Fleet', scopes: ['agent'] })
  const agent = createClient({ baseUrl: origin, apiKey: key })
  for (let index = 0; index < SERVERS; index += 1)
    await agent.agent.register({
      hostname: `fleet-${index}`,
      os: 'Debian GNU/Linux 13 (trixie)',
      kernel: '6.12.48-amd64',
      arch: 'x64',
      agent_version: '0.1.0',
      machine_id: `fleet-${index}`,
    })
  await addMonitors(options.lighthouse ? FEW_MONITORS : 0, MONITORS)
}

async function addMonitors(from: number, to: number): Promise<void> {
  const [answering] = (await client.monitors.list({ q: 'Shop' })).monitors
  for (let first = from; first < to; first += AT_ONCE) {
    const create = Array.from({ length: Math.min(AT_ONCE, to - first) }, (_, index) => ({
      name: `Site ${first + index}`,
      url: `${answering?.url}/${first + index}`,
      interval: 86_400,
    }))
    await client.monitors.bulk({ create })
  }
  // All monitors are due at once: reads before their checks would compete with 2,000 checks.
  const endsMs = Date.now() + CHECKED_MS
  for (let page = 1; page <= to / 100; ) {
    const { monitors } = await client.monitors.list({ limit: 100, page })
    if (monitors.every(({ last_checked_at }) => last_checked_at !== null)) page += 1
    else if (Date.now() > endsMs) throw new Error('the monitors were not checked in time')
    else await new Promise((resolve) => setTimeout(resolve, 500))
  }
}

async function listFigures(page: Page) {
  return {
    monitors: {
      httpMs: await timed(() => client.monitors.list({ limit: 100, include: 'sparkline' })),
      usableMs: await usable(page, 'Monitors'),
    },
    servers: {
      httpMs: await timed(() => client.servers.list({ limit: 100, include: 'metrics,sparkline' })),
      usableMs: await usable(page, 'Servers'),
    },
  }
}

async function timed(request: () => Promise<unknown>) {
  const took: number[] = []
  for (let index = 0; index < ROUNDS; index += 1) {
    const begin = performance.now()
    await request()
    if (index >= ROUNDS / 5) took.push(performance.now() - begin)
  }
  return { p50: quantile(took, 0.5), p95: quantile(took, 0.95) }
}

/** The time from the click to the first row, with no list in the cache of the page. */
async function usable(page: Page, name: string): Promise<number> {
  const took: number[] = []
  for (let index = 0; index < 5; index += 1) {
    await page.goto(`${origin}/settings`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const begin = performance.now()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()
    await page.getByRole('main').getByRole('listitem').first().waitFor()
    took.push(performance.now() - begin)
  }
  return quantile(took, 0.5)
}
