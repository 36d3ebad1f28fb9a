import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { casesOf } from '../../backend/test/deal.ts'
import { isMissing } from '../../scripts/test-tools.ts'
import { excessWidth } from './browser.ts'
import { fillOrganization } from './filled.ts'
import { followLink, PATHS, withIds } from './routes.ts'
import { openSignedIn, type SignedIn, takePicture } from './signed-in.ts'

const WIDTHS = [320, 390, 720, 1440]

/** Names as long as they may be, of one word and from right to left. */
const NAMES = {
  long: (name: string, maxLength = 100) => name.padEnd(maxLength, 'andmore'),
  'right to left': (name: string, maxLength = 100) => `${name} ${'שם ארוך מאוד של שירות '.repeat(9)}`.slice(0, maxLength).trim(),
}
type Kind = keyof typeof NAMES
const KINDS: readonly Kind[] = ['long', 'right to left']

/** Each page with one kind of names; at night with both. */
const CASES = casesOf(
  PATHS.flatMap((path) => KINDS.map((kind) => ({ path, kind }))),
  { row: ({ path }) => path, kind: ({ kind }) => kind, outcome: () => '' },
)

/** The innermost elements that end right of the screen, for the message of a failure. */
const widest = (page: Page): Promise<string> =>
  page.evaluate<string>(`[...document.querySelectorAll('body *')]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
    .filter((one) => {
      for (let above = one.parentElement; above && above !== document.body; above = above.parentElement)
        if (getComputedStyle(above).overflowX !== 'visible') return false
      return true
    })
    .filter((one, index, all) => !all.some((other) => other !== one && one.contains(other)))
    .slice(0, 3).map((one) => one.outerHTML.slice(0, 160)).join(' | ')`)

describe.skipIf(isMissing('chromium'))('pages with long names', () => {
  let scene: SignedIn
  const ids = {} as Record<Kind, Record<string, string>>
  beforeAll(async () => {
    scene = await openSignedIn({ fill: async ({ clock }) => clock.advance(-120_000) })
    for (const kind of KINDS) ids[kind] = await fillOrganization(scene, NAMES[kind], kind.replaceAll(' ', '-'))
    await scene.wide.goto(scene.origin)
    await scene.wide.getByRole('heading', { level: 1 }).waitFor()
  })
  afterAll(() => scene?.close())

  it.each(CASES)('$path with $kind names is as wide as the screen', { timeout: 60_000 }, async ({ path, kind }) => {
    const { wide: page } = scene
    await followLink(page, withIds(path, ids[kind]))
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached' })
    const excess: Record<number, string> = {}
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 })
      // Charts follow their frame a moment later, and the size of the screen is known to the page before its layout is.
      const fits = async () => expect([await page.evaluate<number>('innerWidth'), await excessWidth(page)]).toEqual([width, 0])
      const isTooWide = await vi.waitFor(fits, { timeout: 3_000, interval: 20 }).then(
        () => false,
        () => true,
      )
      await takePicture(page, `widths ${kind} ${path}`.replaceAll(/\W/g, '-'))
      if (isTooWide) excess[width] = `${await excessWidth(page)} px: ${await widest(page)}`
    }
    expect(excess).toEqual({})
  })
})
