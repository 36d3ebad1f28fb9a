import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import {
  type Credentials,
  startTestBackend,
  type TestBackend,
  type TestOptions,
  type TestOrganization,
} from '../../backend/test/harness.ts'
import { openBrowser } from './browser.ts'
import { sharedBackend } from './shared-backend.ts'

export interface SignedIn {
  backend: TestBackend
  organization: TestOrganization
  owner: Credentials & { authorization: string }
  /** `http://127.0.0.1:…` */
  origin: string
  /** At 1440 pixels with a mouse, and at 390 with touch. */
  wide: Page
  narrow: Page
  /** Errors of scripts and violations of the content security policy. */
  complaints: string[]
  close(): Promise<void>
}

/** The folder for screenshots; none by default. */
const SCREENSHOTS = process.env['TEST_PICTURES_DIR']
export const TAKES_PICTURES = SCREENSHOTS !== undefined

export async function takePicture(page: Page, name: string): Promise<void> {
  if (SCREENSHOTS === undefined) return
  const width = page.viewportSize()?.width ?? 0
  await page.screenshot({ path: join(SCREENSHOTS, `${name}-${width}.png`), fullPage: true })
}

interface Options extends TestOptions {
  browserOptions?: BrowserContextOptions
  /** Runs before the owner signs in. */
  fill?: (backend: TestBackend, organization: TestOrganization) => Promise<void>
}

/**
 * A backend whose clock stands at the present, and two browser windows in which the owner of an organization is signed in. Without options
 * the backend has other organizations too.
 */
export async function openSignedIn({ fill, browserOptions, ...options }: Options = {}): Promise<SignedIn> {
  const isShared = fill === undefined && Object.keys(options).length === 0
  const backend = await (isShared ? sharedBackend() : startTestBackend({ startMs: Date.now(), ...options }))
  const organization = await backend.organization()
  await fill?.(backend, organization)
  const owner = await backend.member(organization, 'owner')
  const origin = `http://127.0.0.1:${await backend.listen()}`
  const browser = await openBrowser({ reducedMotion: 'reduce', ...browserOptions })
  const token = owner.authorization.slice('Bearer '.length)
  for (const { context } of browser.viewers)
    await context.addInitScript(`sessionStorage.setItem('vedette-token', ${JSON.stringify(token)})`)
  const [wide, narrow] = browser.viewers
  return {
    backend,
    organization,
    owner,
    origin,
    wide: wide.page,
    narrow: narrow.page,
    complaints: browser.complaints,
    close: async () => {
      await browser.close()
      if (!isShared) await backend.close()
    },
  }
}
