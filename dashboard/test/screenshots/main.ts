// Takes screenshots of every page, at each width and in both themes, of a filled installation. `npm run screenshots`
// writes them to docs/images. Arguments: another folder, a part of the page names ('' for all), other widths (768,1920), and a
// language (de-DE).
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { createClient } from '@vedette/client'
import { findTool } from '../../../scripts/test-tools.ts'
import { pageDefects, seenDefects } from '../browser.ts'
import { startVedette } from '../running-vedette.ts'
import { PATHS, withIds } from '../routes.ts'
import { seedNouns } from './nouns.ts'
import { at, PAGES } from './pages.ts'
import { OWNER, seed } from './seed.ts'

const [folder = join(import.meta.dirname, '../../../docs/images'), only = '', widths = '1440,390', locale = 'en-GB'] =
  process.argv.slice(2)
const VIEWPORTS = widths
  .split(',')
  .map(Number)
  .flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })))
const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update'

mkdirSync(folder, { recursive: true })
const vedette = await startVedette({ VEDETTE_RATE_LIMITS: 'off', VEDETTE_ALLOW_PRIVATE_TARGETS: 'all' })
let defects = 0
try {
  const seeded = await seed(vedette)
  const { origin } = new URL(vedette.readyUrl)
  const { token } = await createClient({ baseUrl: origin }).auth.login(OWNER)
  const nouns = await seedNouns(origin, token, seeded.tokens)
  await takeAll(origin, token, nouns.ids)
  nouns.close()
  await seeded.close()
} finally {
  await vedette.stop()
}
process.exitCode = defects > 0 ? 1 : 0

async function takeAll(origin: string, token: string, ids: Readonly<Record<string, string>>): Promise<void> {
  /** What is only seen after some steps is known by its English texts. */
  const shown = [
    ...(locale.startsWith('en') ? PAGES : []),
    ...PATHS.map((path) => ({ name: `path${path.replaceAll(/\W+/g, '-')}`, open: at(withIds(path, ids)) })),
  ].filter((each) => each.name.includes(only))
  const browser = await chromium.launch({ executablePath: findTool('chromium') ?? '', args: FLAGS.split(' ') })
  for (const { width, colorScheme } of VIEWPORTS) {
    const context = await browser.newContext({
      viewport: { width, height: width > 600 ? 900 : 844 },
      colorScheme,
      locale,
      timezoneId: 'Europe/Berlin',
      // So small a screen is touched.
      hasTouch: width < 600,
    })
    const page = await context.newPage()
    page.on('pageerror', (error) => reportDefect(`${page.url()} ${String(error)}`))
    page.on('console', (message) => {
      // The page requests the install script, which a clone does not have.
      if (message.location().url.endsWith('/install.sh')) return
      if (message.type() === 'error' || message.type() === 'warning') reportDefect(`${page.url()} ${message.text()}`)
    })
    await page.goto(origin)
    await page.locator('input[type="email"]').waitFor()
    if ('sign-in'.includes(only)) await takeScreenshot(page, `sign-in-${width}-${colorScheme}`)
    await context.addInitScript(`sessionStorage.setItem('vedette-token', ${JSON.stringify(token)})`)
    for (const { name, open } of shown) {
      try {
        await open(page, origin)
        await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
        await takeScreenshot(page, `${name}-${width}-${colorScheme}`)
      } catch (error) {
        reportDefect(`${name}-${width}-${colorScheme}: ${String(error)}`)
      }
    }
    await context.close()
  }
  await browser.close()
}

function reportDefect(text: string): void {
  defects += 1
  console.error(text)
}

async function takeScreenshot(page: Page, name: string): Promise<void> {
  await page.evaluate('document.fonts.ready')
  for (const fault of [...(await pageDefects(page)), ...(await seenDefects(page))]) reportDefect(`${name}: ${fault}`)
  // The viewport grows instead of scrolling, so that fixed elements stay at its edges.
  const { width = 0, height = 0 } = page.viewportSize() ?? {}
  const whole = Number(await page.evaluate('document.documentElement.scrollHeight'))
  await page.setViewportSize({ width, height: Math.max(height, whole) })
  await page.locator('figure [role="img"]:not(:has(canvas))').first().waitFor({ state: 'detached' })
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await page.setViewportSize({ width, height })
}
