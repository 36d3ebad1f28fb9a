import { AxeBuilder } from '@axe-core/playwright'
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findTool } from '../../scripts/test-tools.ts'

const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update --disable-sync'

/** What people open it on: both widths and both colour schemes; the pictures of `npm run screenshots` have all four. */
const LOOKS = [
  { width: 1440, colorScheme: 'light' },
  { width: 390, colorScheme: 'dark' },
] as const

export interface Look {
  name: string
  context: BrowserContext
  page: Page
}

export interface Looks {
  looks: readonly [wide: Look, narrow: Look]
  /** What the browser complains of: errors of scripts, refusals by the content security policy, dialogs. */
  complaints: string[]
  close(): Promise<void>
}

/** A browser with a person at each width. */
export async function openLooks(more: BrowserContextOptions = {}): Promise<Looks> {
  const browser = await chromium.launch({ executablePath: findTool('chromium') ?? '', args: FLAGS.split(' ') })
  const complaints: string[] = []
  const looks: Look[] = []
  for (const { width, colorScheme } of LOOKS) {
    const context = await browser.newContext({ viewport: { width, height: width > 600 ? 900 : 844 }, colorScheme, ...more })
    const page = await context.newPage()
    // A bound against hanging, no promise: a machine that is busy with other things is several times slower.
    page.setDefaultTimeout(30_000)
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('dialog', (dialog) => {
      complaints.push(`dialog ${dialog.message()}`)
      void dialog.dismiss()
    })
    page.on('console', (message) => {
      // A page asks for the script of a release, which a backend without one does not have.
      if (message.location().url.endsWith('/install.sh')) return
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
    })
    looks.push({ name: `${width}-${colorScheme}`, context, page })
  }
  return { looks: looks as [Look, Look], complaints, close: () => browser.close() }
}

/** What is wrong with a page as it stands: something sticks out of the screen, or axe finds something. */
export async function faultsOf(page: Page): Promise<string[]> {
  const excess = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
  // Legacy: no frame of another origin is in the page, for which a second tab would be opened at each look.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  return [
    ...(excess > 0 ? [`sticks out by ${excess} px`] : []),
    ...violations.map(({ id, nodes }) => `axe ${id}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`),
  ]
}
