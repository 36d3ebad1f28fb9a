import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestIncident } from '../../backend/test/incident.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { asOwner, createPages } from './editors/editor.ts'
import { plantChecks } from './planted-checks.ts'
import { openSignedIn, type SignedIn } from './signed-in.ts'

const DAY = 86_400_000

describe.skipIf(isMissing('chromium'))('files and prints', () => {
  let scene: SignedIn
  let api: ReturnType<typeof asOwner>
  let yesterday: string
  const pages = createPages(() => scene)
  beforeAll(async () => {
    scene = await openSignedIn({ browserOptions: { timezoneId: 'UTC' }, environment: {} })
    api = asOwner(scene)
    ;({ yesterday } = await plantChecks(scene))
    const { backend, organization } = scene
    await openTestIncident(backend, organization, { summary: 'Shop is down', atMs: backend.clock.now() - 60_000 })
  })
  afterAll(() => scene?.close())

  const ofYesterday = () => `${scene.origin}/reports?from=${yesterday}&to=${yesterday}`

  it('a report is saved as CSV and JSON, and printed', { timeout: 120_000 }, async () => {
    const page = await pages.wide()
    await page.goto(`${ofYesterday()}&of=tag&what=public`)
    const range = `from=${yesterday}&to=${new Date(Date.parse(yesterday) + DAY).toISOString().slice(0, 10)}&time_zone=UTC&tag=public`
    const saved = async (name: string) => {
      const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()])
      return [download.suggestedFilename(), readFileSync(await download.path(), 'utf8')] as const
    }
    const [csvName, csv] = await saved('CSV')
    expect(csvName).toMatch(/^uptime-[\d-]+\.csv$/)
    expect(csv).toBe(await api.read(`/v1/reports/uptime?${range}&format=csv`))
    const [jsonName, json] = await saved('JSON')
    expect(jsonName).toBe(csvName.replace('.csv', '.json'))
    const { generated_at: _at, ...report } = await api.read(`/v1/reports/uptime?${range}`)
    expect(JSON.parse(json)).toMatchObject(report)
    // The frame loads before its listener prints it.
    await page.evaluate(`document.addEventListener('load', ({ target }) => {
      if (target.tagName !== 'IFRAME') return
      target.contentWindow.print = () => {
        const { document: own } = target.contentWindow
        window.printed = [own.body.innerText, own.adoptedStyleSheets[0].cssRules.length > 5]
      }
    }, true)`)
    await page.getByRole('button', { name: 'Print' }).click()
    await expect
      .poll(() => page.evaluate('window.printed'))
      .toEqual([expect.stringMatching(/Uptime report[^]*Shop\s+94\.8275 %/), true])
  })

  it('a report is printed without a violation of the policy', async () => {
    const { narrow: page } = scene
    await page.goto(ofYesterday())
    await page.getByRole('button', { name: 'Print' }).click()
    await page
      .frameLocator('iframe[title="Report to print"]')
      .getByRole('heading', { name: 'Uptime report', includeHidden: true })
      .waitFor({ state: 'attached' })
    expect(scene.complaints).toEqual([])
  })

  it('an incident is printed without what is for the screen alone', async () => {
    // Its rule does not exist, of which the browser complains.
    const page = await pages.wide()
    await page.goto(`${scene.origin}/incidents`)
    await page.getByRole('link', { name: 'Shop is down' }).click()
    await page.getByRole('heading', { level: 1, name: 'Shop is down' }).waitFor()
    expect(await page.getByText('Times in ').first().isVisible()).toBe(true)
    await page.emulateMedia({ media: 'print' })
    expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true)
    expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(false)
    expect(await page.getByRole('button').filter({ visible: true }).count()).toBe(0)
  })
})
