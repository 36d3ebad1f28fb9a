import axe, { type AxeResults } from 'axe-core'
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findTool } from '../../scripts/test-tools.ts'

const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

/** Both widths and both colour schemes; `npm run screenshots` takes all four combinations. */
const VIEWPORTS = [
  { width: 1440, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const

export interface Viewer {
  name: string
  context: BrowserContext
  page: Page
}

export interface TestBrowser {
  viewers: readonly [wide: Viewer, narrow: Viewer]
  /** Errors of scripts, violations of the content security policy, and dialogs. */
  complaints: string[]
  close(): Promise<void>
}

/** By their program. Each is one for the test files of this process, and ends with the process. */
const launched = new Map<string, Promise<Browser>>()

/** Chromium as people have it: it shows notifications and pages of errors, and blocks the cookies of other sites. */
export const WHOLE_CHROMIUM = findTool('chromium') ?? ''
/** Without the parts that draw a window it needs a quarter less CPU. */
const CHROMIUM = findTool('chromium-headless-shell') ?? WHOLE_CHROMIUM

/** A viewer at each width. */
export async function openBrowser(more: BrowserContextOptions = {}, executablePath = CHROMIUM): Promise<TestBrowser> {
  const browser = await (launched.get(executablePath) ?? launch(executablePath))
  const complaints: string[] = []
  const viewers: Viewer[] = []
  for (const { width, colorScheme } of VIEWPORTS) {
    const isNarrow = width < 600
    const viewport = { width, height: isNarrow ? 844 : 900 }
    const context = await browser.newContext({ viewport, colorScheme, hasTouch: isNarrow, ...more })
    const page = await context.newPage()
    // A bound for hangs: a busy machine is several times slower.
    page.setDefaultTimeout(30_000)
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('dialog', (dialog) => {
      complaints.push(`dialog ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    viewers.push({ name: `${width}-${colorScheme}`, context, page })
  }
  return { viewers: viewers as [Viewer, Viewer], complaints, close: () => closeAll(browser) }
}

function launch(executablePath: string): Promise<Browser> {
  const browser = chromium.launch({ executablePath, args: FLAGS.split(' ') })
  launched.set(executablePath, browser)
  return browser
}

/** Those that the test opened by itself as well. */
async function closeAll(browser: Browser): Promise<void> {
  for (const context of browser.contexts()) await context.close()
  // Programs that are no tests open it once.
  if (process.env['VITEST'] === undefined) await browser.close()
}

/** How many pixels the content is wider than the screen; 0 where it fits. */
export const excessWidth = async (page: Page): Promise<number> =>
  Math.max(0, Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')))

/**
 * The findings of axe. Its source of half a megabyte is given to a document once, and
 * the page returns the violations alone: both cost more than the search.
 */
async function violationsOf(page: Page): Promise<AxeResults['violations']> {
  if (!(await page.evaluate<boolean>('globalThis.axe !== undefined'))) await page.evaluate(axe.source)
  // Into a frame without scripts axe cannot look.
  return page.evaluate<AxeResults['violations']>(
    `axe.run({ exclude: ['iframe[sandbox]'] }, { resultTypes: ['violations'], rules: { 'target-size': { enabled: true } } }).then(({ violations }) => violations)`,
  )
}

/** Controls lower than the 44 px of a finger, with what takes taps from around them. A link within a sentence is none. */
const SMALL_CONTROLS = `[...document.querySelectorAll('button, select, summary, .control, input:not([type="file"])')].flatMap((one) => {
  if (!one.checkVisibility({ visibilityProperty: true }) || one.closest('.sr-only')) return []
  const boxes = [one, one.closest('label') ?? one].map((box) => box.getBoundingClientRect().height)
  for (const owner of [one, one.parentElement]) {
    const before = getComputedStyle(owner, '::before')
    if (owner.matches('.tiny-control') && before.position === 'absolute') boxes.push(parseFloat(before.height))
  }
  return Math.max(...boxes) < 43.5 ? [Math.max(...boxes) + ' px: ' + one.outerHTML.slice(0, 160)] : []
})`

/** Texts that end where their box does, without the ellipsis that says so. */
const CUT_TEXTS = `[...document.querySelectorAll('body *')].flatMap((one) => {
  if (one.scrollWidth <= one.clientWidth + 1) return []
  const { overflowX, textOverflow, clipPath } = getComputedStyle(one)
  // What is for screen readers alone is clipped as a whole.
  if (clipPath !== 'none' || !/hidden|clip/.test(overflowX) || textOverflow === 'ellipsis' || one.textContent.trim() === '') return []
  return one === document.body || !one.checkVisibility() ? [] : [one.outerHTML.slice(0, 160)]
})`

/** What a person sees and axe does not: on a screen that is touched controls smaller than a finger, and text that is cut. */
export async function seenDefects(page: Page): Promise<string[]> {
  const isTouched = await page.evaluate<boolean>('matchMedia("(pointer: coarse)").matches')
  const small = isTouched ? await page.evaluate<string[]>(SMALL_CONTROLS) : []
  const cut = await page.evaluate<string[]>(CUT_TEXTS)
  return [...small.map((one) => `smaller than a finger, ${one}`), ...cut.map((one) => `cut without an ellipsis: ${one}`)]
}

/** The defects of a page, once it is drawn: content wider than the screen, and the findings of axe. */
export async function pageDefects(page: Page): Promise<string[]> {
  await page.locator('h1').first().waitFor({ state: 'attached' })
  const excess = await excessWidth(page)
  return [
    ...(excess > 0 ? [`content is ${excess} px too wide`] : []),
    ...(await violationsOf(page)).map(
      ({ id, nodes }) => `axe ${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`,
    ),
  ]
}
