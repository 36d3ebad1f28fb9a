import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DAY_MS } from '@vedette/shared'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { announcements } from '../../../../test/changes.ts'
import { startTestBackend, type TestBackend } from '../../../../test/harness.ts'
import type { Db } from '../../../platform/db/index.ts'
import { parseId } from '../../../platform/ids.ts'
import { silentLog } from '../../../platform/logging/log.ts'
import { createPageCopies } from '../copies/copies.ts'
import { readStoredPages } from '../copies/stored.ts'
import { renderPage } from '../render/html.ts'
import { pagesOf } from '../../../../test/status-pages.ts'

let backend: TestBackend
let folder: string
beforeAll(async () => {
  backend = await startTestBackend()
})
afterAll(() => backend.close())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'vedette-pages-'))
  return () => rmSync(folder, { recursive: true })
})

/** A database that can be taken away. */
function switchedDb(): { db: Db; setAway(away: boolean): void } {
  let isAway = false
  const db = new Proxy(backend.pool.db, {
    get: (target, name) => {
      if (isAway) throw new Error('the database is away')
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? (value as (...all: unknown[]) => unknown).bind(target) : value
    },
  })
  return { db, setAway: (away) => (isAway = away) }
}

async function world() {
  const organization = await backend.organization()
  const member = await backend.member(organization, 'member')
  const pages = pagesOf(backend, organization, member)
  const { slug, id } = await pages.page()
  const file = join(folder, `${parseId('statusPage', id)}.json`)
  const { changes, announce } = announcements()
  const { db, setAway } = switchedDb()
  const start = () => createPageCopies({ db, clock: backend.clock, log: silentLog, changes, folder })
  const patch = (body: object) => backend.call('PATCH', `/v1/status-pages/${id}`, { as: member, body })
  return { slug, file, start, announce, setAway, patch }
}

const context = { url: 'https://vedette.example.com/status/shop', base: '', query: '', takesSubscribers: false }
const htmlOf = async (copies: ReturnType<typeof createPageCopies>, slug: string) => {
  const page = await copies.find(slug)
  return page
    ?.view('', (model, isBehind) => renderPage(model, { ...context, isBehind }))
    .bytes('identity')
    .toString()
}

/** Other tests have published pages too, of which a run reads few. */
async function readFirst(copies: ReturnType<typeof createPageCopies>, slug: string): Promise<void> {
  await copies.run()
  await copies.find(slug)
}

describe('the copy of a page', () => {
  it('is read again after an announced change [STATUS-06]', async () => {
    const { slug, start, announce, patch } = await world()
    const copies = start()
    await copies.run()
    expect(await htmlOf(copies, slug)).toContain('Shop status')
    await patch({ title: 'A new title' })
    announce('status_page')
    backend.clock.advance(1_000)
    await copies.run()
    expect(await htmlOf(copies, slug)).toContain('A new title')
  })

  it('is read again each 15 s while somebody visits it, and each 5 minutes while nobody does [STATUS-07]', async () => {
    const { slug, start } = await world()
    const copies = start()
    await copies.run()
    expect(await copies.run()).toBeGreaterThan(15_000)
    let woken = 0
    copies.onDue(() => (woken += 1))
    backend.clock.advance(14_000)
    await copies.find(slug)
    expect(woken).toBe(0)
    backend.clock.advance(1_000)
    await copies.find(slug)
    expect(woken).toBe(1)
    const before = (await copies.find(slug))?.copy.model.readAtMs
    await copies.run()
    expect((await copies.find(slug))?.copy.model.readAtMs).toBe((before as number) + 15_000)
  })

  it('stays while the database is away, says since when, and is renewed afterwards [STATUS-08]', async () => {
    const { slug, start, setAway } = await world()
    const copies = start()
    await copies.run()
    await copies.find(slug)
    setAway(true)
    backend.clock.advance(20_000)
    await copies.run()
    expect(await htmlOf(copies, slug)).toContain('cannot be updated right now')
    setAway(false)
    backend.clock.advance(5_000)
    await copies.run()
    expect(await htmlOf(copies, slug)).not.toContain('cannot be updated right now')
  })

  it('survives a restart while the database is away, unless the page was changed meanwhile [STATUS-09]', async () => {
    const { slug, file, start, setAway, patch } = await world()
    const first = start()
    await first.run()
    expect(existsSync(file)).toBe(true)
    const second = start()
    await second.run()
    setAway(true)
    expect(await htmlOf(second, slug)).toContain('Shop status')
    setAway(false)
    await patch({ title: 'Changed', published: true })
    const third = start()
    await third.run()
    expect(await htmlOf(third, slug)).toContain('Changed')
  })

  it('is deleted with the page, and a damaged one is read again [STATUS-10]', async () => {
    const { slug, file, start, patch } = await world()
    const first = start()
    await first.run()
    writeFileSync(file, '{"model":')
    const second = start()
    await second.run()
    expect(await htmlOf(second, slug)).toContain('Shop status')
    await patch({ published: false })
    backend.clock.advance(60_000)
    await second.run()
    expect([await second.find(slug), existsSync(file)]).toEqual([undefined, false])
  })

  it('is deleted at the next start if the page was withdrawn while no process ran [STATUS-11]', async () => {
    const { slug, file, start, patch } = await world()
    await readFirst(start(), slug)
    expect(existsSync(file)).toBe(true)
    await patch({ published: false })
    await start().run()
    expect(existsSync(file)).toBe(false)
  })
})

describe('the copies that an earlier process left', () => {
  it('answer for a day, and say that they are behind [STATUS-12]', async () => {
    const { slug, start } = await world()
    await readFirst(start(), slug)
    const nowMs = backend.clock.now()
    const pages = readStoredPages(folder, nowMs + DAY_MS - 1)
    expect(await pages?.find(slug)).toMatchObject({ isBehind: true, copy: { model: { title: 'Shop status' } } })
    await expect(pages?.find('another')).rejects.toMatchObject({ code: 'unavailable' })
    expect(readStoredPages(folder, nowMs + DAY_MS)).toBeUndefined()
  })

  it('are none where none can be read [STATUS-13]', async () => {
    const { slug, file, start } = await world()
    await readFirst(start(), slug)
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), '{"model":')
    expect(existsSync(file)).toBe(true)
    expect(readStoredPages(folder, backend.clock.now())).toBeUndefined()
    expect(readStoredPages(join(folder, 'missing'), backend.clock.now())).toBeUndefined()
  })
})
