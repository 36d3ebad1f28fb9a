import type { HTMLInputElement } from 'happy-dom'
import type { Role } from '@vedette/shared'
import {
  type Credentials,
  startTestBackend,
  type TestBackend,
  type TestOptions,
  type TestOrganization,
} from '../../../backend/test/harness.ts'
import { sharedBackend } from '../shared-backend.ts'
import { ORIGIN, Page } from './page.ts'

export type { Locator } from './locator.ts'
export type { Page } from './page.ts'

export interface Scene {
  backend: TestBackend
  organization: TestOrganization
  owner: Credentials & { authorization: string; userId: string }
  origin: string
  /** What the pages wrote as errors to the console. */
  complaints: string[]
  /** A page in which the owner is signed in. */
  open(): Page
  openAs(role: Role): Promise<Page>
  openSignedOut(): Page
  close(): Promise<void>
}

interface Options extends TestOptions {
  /** Runs before the owner signs in. */
  fill?: (backend: TestBackend, organization: TestOrganization) => Promise<void>
}

/** A backend whose clock stands at the present, and an organization with an owner. Without options the backend has other organizations too. */
export async function openScene({ fill, ...options }: Options = {}): Promise<Scene> {
  const isShared = fill === undefined && Object.keys(options).length === 0
  const backend = await (isShared ? sharedBackend() : startTestBackend({ startMs: Date.now(), ...options }))
  const organization = await backend.organization()
  await fill?.(backend, organization)
  const owner = await backend.member(organization, 'owner')
  const complaints: string[] = []
  const pages: Page[] = []
  const open = (as?: { authorization: string }): Page => {
    const page = new Page({ backend, token: as?.authorization.slice('Bearer '.length), complaints })
    pages.push(page)
    return page
  }
  return {
    backend,
    organization,
    owner,
    origin: ORIGIN,
    complaints,
    open: () => open(owner),
    openAs: async (role) => open(await backend.member(organization, role)),
    openSignedOut: () => open(),
    close: async () => {
      for (const page of pages) page.close()
      if (!isShared) await backend.close()
    },
  }
}

/** The messages next to the fields at fault, by the label of the field. */
// oxlint-disable-next-line typescript/require-await -- as in Chromium
export async function faultsOf(page: Page): Promise<Record<string, string | undefined>> {
  const fields = page.locator('[aria-invalid]').elements() as HTMLInputElement[]
  return Object.fromEntries(
    fields.map((field) => {
      const describedBy = (field.getAttribute('aria-describedby') ?? '').split(' ')
      const texts = describedBy.map((id) => field.ownerDocument.getElementById(id)?.textContent ?? '')
      return [field.labels?.[0]?.textContent ?? field.getAttribute('aria-label') ?? '', texts.at(-1)]
    }),
  )
}

export const hasFocus = (page: Page, label: string, index = 0): Promise<boolean> =>
  page
    .getByLabel(label)
    .nth(index)
    .evaluate((field) => field.ownerDocument.activeElement === field)
