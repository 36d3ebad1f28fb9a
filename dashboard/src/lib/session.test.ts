import { VedetteError, VedetteNetworkError } from '@vedette/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { restoreSession, stored } from './session.ts'

/** The storage of a browser; a tab has its own. */
function createStorage() {
  const values = new Map<string, string>()
  return {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => void values.set(name, value),
    removeItem: (name: string) => void values.delete(name),
  }
}
const tokenOf = (secondsLeft: number, name = 'a') =>
  `head.${Buffer.from(JSON.stringify({ exp: Date.now() / 1000 + secondsLeft, name })).toString('base64url')}.sign`
const refusal = (status: number) => new VedetteError(status, { code: 'unauthorized', message: 'no', request_id: 'r' }, undefined)

/** What the next refresh answers. */
let answers: (string | Error)[] = []
let refreshes = 0
const client = {
  auth: {
    refresh: async () => {
      refreshes += 1
      const next = answers.shift() ?? refusal(401)
      if (next instanceof Error) throw next
      return { token: next, expires_at: '' }
    },
  },
} as never
const restore = () => restoreSession(client)

describe('the session of a tab', () => {
  beforeEach(() => {
    answers = []
    refreshes = 0
    vi.stubGlobal('sessionStorage', createStorage())
    vi.stubGlobal('localStorage', createStorage())
  })
  afterEach(() => vi.unstubAllGlobals())

  it('is none at first, and no refresh is tried on a device that does not stay signed in', async () => {
    const session = await restore()
    expect([session.credentials(), session.isRemembered(), await session.renew(), refreshes]).toEqual([
      undefined,
      false,
      false,
      0,
    ])
  })

  it('survives a reload of the tab', async () => {
    const token = tokenOf(40_000)
    ;(await restore()).begin(token, false)
    expect((await restore()).credentials()).toEqual({ token })
  })

  it('is handed to a new tab, and ends in all tabs at once', async () => {
    const token = tokenOf(40_000)
    const first = await restore()
    first.begin(token, true)
    vi.stubGlobal('sessionStorage', createStorage())
    const second = await restore()
    expect(second.credentials()).toEqual({ token })
    const ended = new Promise<void>((resolve) => second.onEnd(resolve))
    first.end()
    await ended
    expect([first.credentials(), second.credentials(), second.isRemembered()]).toEqual([undefined, undefined, false])
  })

  it('is taken from a tab that is too busy to answer in time', async () => {
    const session = await restore()
    const began = new Promise<void>((resolve) => session.onBegin(resolve))
    const token = tokenOf(40_000)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches one origin only
    new BroadcastChannel('vedette-session').postMessage({ type: 'offer', token })
    await began
    expect(session.credentials()).toEqual({ token })
  })

  it('begins by the cookie on a device that stays signed in', async () => {
    ;(await restore()).begin(tokenOf(40_000), true)
    vi.stubGlobal('sessionStorage', createStorage())
    vi.stubGlobal('BroadcastChannel', undefined)
    const next = tokenOf(40_000, 'next')
    answers = [next]
    const session = await restore()
    expect([session.credentials(), session.isRemembered()]).toEqual([undefined, true])
    expect([await session.renew(), session.credentials()]).toEqual([true, { token: next }])
  })

  it('is renewed before it ends, once for requests at the same moment', async () => {
    const session = await restore()
    session.begin(tokenOf(60), true)
    const next = tokenOf(40_000, 'next')
    answers = [next]
    const all = await Promise.all([session.currentCredentials(), session.currentCredentials(), session.currentCredentials()])
    expect([all, refreshes]).toEqual([[{ token: next }, { token: next }, { token: next }], 1])
    await session.currentCredentials()
    expect(refreshes).toBe(1)
  })

  it('goes on with its token while a renewal cannot reach the backend', async () => {
    const token = tokenOf(60)
    const session = await restore()
    session.begin(token, true)
    answers = [new VedetteNetworkError('down', false, undefined)]
    expect([await session.currentCredentials(), session.isRemembered()]).toEqual([{ token }, true])
    answers = [new VedetteNetworkError('down', false, undefined)]
    await expect(session.renew()).rejects.toThrow(VedetteNetworkError)
  })

  it.each([401, 403])('is not renewed any more where the cookie is refused (%i)', async (status) => {
    const session = await restore()
    session.begin(tokenOf(60), true)
    answers = [refusal(status)]
    expect([await session.renew(), session.isRemembered(), await session.renew(), refreshes]).toEqual([false, false, false, 1])
  })

  it('is that of who signed in meanwhile', async () => {
    const session = await restore()
    session.begin(tokenOf(60), true)
    answers = [tokenOf(40_000, 'late')]
    const renewal = session.renew()
    const other = tokenOf(40_000, 'other')
    session.begin(other, true)
    expect([await renewal, session.credentials()]).toEqual([true, { token: other }])
  })

  it('lives until the reload where the browser denies its storage', async () => {
    const denied = () => {
      throw new DOMException('denied', 'SecurityError')
    }
    vi.stubGlobal('sessionStorage', { getItem: denied, setItem: denied, removeItem: denied })
    vi.stubGlobal('localStorage', { getItem: denied, setItem: denied, removeItem: denied })
    const session = await restore()
    const token = tokenOf(40_000)
    session.begin(token, true)
    expect([session.credentials(), session.isRemembered(), stored(denied)]).toEqual([{ token }, false, undefined])
  })
})
