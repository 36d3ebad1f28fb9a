// Takes screenshots of every page, at each width and in both themes, of a filled installation. `npm run screenshots`
// writes them to docs/images. Arguments: another folder, a part of the page names ('' for all), and other widths (768,1920).
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { findTool } from '../../../scripts/test-tools.ts'
import { pageDefects } from '../browser.ts'
import { startVedette } from '../running-vedette.ts'
import { OWNER, seed } from './seed.ts'
import { PAGES } from './pages.ts'

const [folder = join(import.meta.dirname, '../../../docs/images'), only = '', widths = '1440,390'] = process.argv.slice(2)
const VIEWPORTS = widths
  .split(',')
  .map(Number)
  .flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })))
const FLAGS =
  '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update'

mkdirSync(folder, { recursive: true })
const vedette = await startVedette({ VEDETTE_RATE_LIMITS: 'off', VEDETTE_ALLOW_PRIVATE_TARGETS: 'all' })
const seeded = await seed(vedette)
const browser = await chromium.launch({ executablePath: findTool('chromium') ?? '', args: FLAGS.split(' ') })
const { origin } = new URL(vedette.readyUrl)
let defects = 0

try {
  for (const { width, colorScheme } of VIEWPORTS) {
    const context = await browser.newContext({ viewport: { width, height: width > 600 ? 900 : 844 }, colorScheme })
    const page = await context.newPage()
    page.on('pageerror', (error) => reportDefect(`${page.url()} ${String(error)}`))
    page.on('console', (message) => {
      // The page requests the install script, which a clone does not have.
      if (message.location().url.endsWith('/install.sh')) return
      if (message.type() === 'error' || message.type() === 'warning') reportDefect(`${page.url()} ${message.text()}`)
    })
    await page.goto(origin)
    await page.getByLabel('Email').fill(OWNER.email)
    if ('sign-in'.includes(only)) await takeScreenshot(page, `sign-in-${width}-${colorScheme}`)
    await page.getByLabel('Password').fill(OWNER.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
    for (const { name, open } of PAGES.filter((each) => each.name.includes(only))) {
      await open(page, origin)
      await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
      await takeScreenshot(page, `${name}-${width}-${colorScheme}`)
    }
    await context.close()
  }
} finally {
  await browser.close()
  await seeded.close()
  await vedette.stop()
}
process.exitCode = defects > 0 ? 1 : 0

function reportDefect(text: string): void {
  defects += 1
  console.error(text)
}

async function takeScreenshot(page: Page, name: string): Promise<void> {
  await page.evaluate('document.fonts.ready')
  for (const fault of await pageDefects(page)) reportDefect(`${name}: ${fault}`)
  // The viewport grows instead of scrolling, so that fixed elements stay at its edges.
  const { width = 0, height = 0 } = page.viewportSize() ?? {}
  const whole = Number(await page.evaluate('document.documentElement.scrollHeight'))
  await page.setViewportSize({ width, height: Math.max(height, whole) })
  await page.locator('figure [role="img"]:not(:has(canvas))').first().waitFor({ state: 'detached' })
  await page.screenshot({ path: join(folder, `${name}.png`) })
  await page.setViewportSize({ width, height })
}
