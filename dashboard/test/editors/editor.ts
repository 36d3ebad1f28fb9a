import type { Page, Request } from 'playwright-core'
import { afterEach } from 'vitest'
import type { SignedIn } from '../signed-in.ts'

/** Of a page of Chromium as of one without a browser. */
interface Requesting {
  on(event: 'request', listener: (request: Pick<Request, 'method' | 'url' | 'postDataJSON'>) => void): unknown
}

/** The bodies of the requests that a page sends with this method from now on. */
export function watchRequests(page: Requesting, method: string): { path: string; body: unknown }[] {
  const sent: { path: string; body: unknown }[] = []
  page.on('request', (request) => {
    if (request.method() !== method || !request.url().includes('/v1/')) return
    sent.push({ path: new URL(request.url()).pathname, body: request.postDataJSON() })
  })
  return sent
}

/** What the API answers the owner. */
export const asOwner = ({ backend, owner }: Pick<SignedIn, 'backend' | 'owner'>) => ({
  read: async (path: string) => (await backend.call('GET', path, { as: owner })).body,
  make: async (path: string, body: object) => {
    const answer = await backend.call('POST', path, { as: owner, body })
    if (answer.status >= 300) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  },
  change: (path: string, body: object) => backend.call('PATCH', path, { as: owner, body }),
})

/** The messages next to the fields at fault, by the label of the field. */
export async function faultsOf(page: Page): Promise<Record<string, string>> {
  return page.evaluate(`Object.fromEntries([...document.querySelectorAll('[aria-invalid]')].map((field) => {
    const describedBy = (field.getAttribute('aria-describedby') ?? '').split(' ')
    const texts = describedBy.map((id) => document.getElementById(id)?.textContent ?? '')
    return [field.labels?.[0]?.textContent ?? field.getAttribute('aria-label') ?? '', texts.at(-1)]
  }))`)
}

export const hasFocus = (page: Page, label: string, index = 0): Promise<boolean> =>
  page
    .getByLabel(label)
    .nth(index)
    .evaluate((field: { matches(selector: string): boolean }) => field.matches(':focus'))

/** A page in which a member with this role is signed in; in a context of its own. */
export async function openAs(scene: SignedIn, role: 'viewer' | 'member' | 'admin', width = 1440): Promise<Page> {
  const { authorization } = await scene.backend.member(scene.organization, role)
  const context = await scene.wide
    .context()
    .browser()
    ?.newContext({ viewport: { width, height: 900 }, reducedMotion: 'reduce' })
  if (!context) throw new Error('no browser')
  await context.addInitScript(`sessionStorage.setItem('vedette-token', ${JSON.stringify(authorization.slice('Bearer '.length))})`)
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  return page
}

/** Pages that are closed after each test, whatever was typed in them; their faults are those of the scene. */
export function createPages(sceneOf: () => SignedIn) {
  const opened: Page[] = []
  afterEach(async () => {
    for (const page of opened.splice(0)) await page.close()
  })
  const open = async (width: 'wide' | 'narrow'): Promise<Page> => {
    const scene = sceneOf()
    const page = await scene[width].context().newPage()
    page.setDefaultTimeout(30_000)
    page.on('pageerror', (error) => scene.complaints.push(String(error)))
    opened.push(page)
    return page
  }
  return {
    wide: () => open('wide'),
    narrow: () => open('narrow'),
    both: async () => [await open('wide'), await open('narrow')],
  }
}
