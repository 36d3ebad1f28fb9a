import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { incidentSearch } from '../features/incidents/search.ts'
import { takeMailLink } from '../features/sign-in/mail-link.ts'
import { takeSetupCode } from '../features/sign-in/setup-code.ts'
import { notificationObstacle } from './browser-notifications.ts'
import { dropToken, keepToken, keptToken } from './enrollment-token.ts'
import { setOpenIncidents, setPageTitle } from './window-title.ts'

afterEach(() => vi.unstubAllGlobals())

describe('the enrollment token of a tab', () => {
  const token = { owner: 'usr_1 org_1', id: 'enr_1', token: 'vdt_enr_x', createdAtMs: 0, endsAtMs: 1_000 }
  let stored: Map<string, string>
  beforeEach(() => {
    stored = new Map()
    vi.stubGlobal('sessionStorage', {
      getItem: (name: string) => stored.get(name) ?? null,
      setItem: (name: string, value: string) => stored.set(name, value),
      removeItem: (name: string) => stored.delete(name),
    })
    keepToken(token)
  })

  it.each([
    ['of the same person and organization', 'usr_1 org_1', 999, true],
    ['that has just ended', 'usr_1 org_1', 1_000, false],
    ['of another person', 'usr_2 org_1', 0, false],
    ['of another organization', 'usr_1 org_2', 0, false],
  ])('%s is kept or deleted', (_name, owner, nowMs, isKept) => {
    expect(keptToken(owner, nowMs)).toEqual(isKept ? token : undefined)
    expect(stored.size).toBe(isKept ? 1 : 0)
  })
  it('is gone once it is dropped', () => {
    dropToken()
    expect([keptToken(token.owner, 0), stored.size]).toEqual([undefined, 0])
  })
  it('is none where the tab has something else in its place', () => {
    stored.set('vedette-enrollment', '{"owner":')
    expect(keptToken(token.owner, 0)).toBeUndefined()
  })
})

describe('a secret in the address', () => {
  const at = (pathname: string, more: { search?: string; hash?: string; state?: object } = {}) => {
    const replaced: unknown[] = []
    vi.stubGlobal('location', { pathname, search: more.search ?? '', hash: more.hash ?? '' })
    vi.stubGlobal('history', { state: more.state ?? null, replaceState: (...args: unknown[]) => replaced.push(args) })
    return replaced
  }

  it.each([
    ['/password-reset', { hash: '#token=abc' }, 'abc'],
    ['/verify-email', { hash: '#token=abc' }, 'abc'],
    ['/invitations/accept', { search: '?token=abc' }, 'abc'],
    ['/invitations/accept', { search: '?token=query', hash: '#token=fragment' }, 'fragment'],
  ])('of %s is taken out of it', (path, address, token) => {
    const replaced = at(path, address)
    expect(takeMailLink()).toEqual({ path, token })
    expect(replaced).toEqual([[{ linkToken: token }, '', path]])
  })
  it('is kept for a reload, and empty without one', () => {
    const replaced = at('/verify-email', { state: { linkToken: 'kept' } })
    expect(takeMailLink()).toEqual({ path: '/verify-email', token: 'kept' })
    at('/verify-email')
    expect(takeMailLink()).toEqual({ path: '/verify-email', token: '' })
    expect(replaced).toEqual([])
  })
  it.each(['/', '/monitors', '/password-reset/', '/verify-email/x'])('of the page %s is none', (path) => {
    const replaced = at(path, { hash: '#token=abc' })
    expect([takeMailLink(), replaced]).toEqual([undefined, []])
  })
  it('of the set-up is taken from the first page alone', () => {
    let replaced = at('/', { search: '?code=abc' })
    expect([takeSetupCode(), replaced]).toEqual(['abc', [[{ code: 'abc' }, '', '/']]])
    at('/', { state: { code: 'kept' } })
    expect(takeSetupCode()).toBe('kept')
    replaced = at('/monitors', { search: '?code=abc' })
    expect(replaced).toEqual([])
    at('/')
    expect(takeSetupCode()).toBe('')
  })
})

describe('the filter of incidents', () => {
  it.each([
    [{}, {}],
    [
      { severity: 'critical', range: '7d', target: 'mon_1' },
      { severity: 'critical', range: '7d', target: 'mon_1' },
    ],
    [{ severity: 'worst', range: '8d', target: 7 }, {}],
    [{ severity: ['critical'], target: '' }, {}],
  ])('of %j is %j', (given, search) => expect(incidentSearch(given)).toEqual(search))
})

describe('what keeps a browser from showing notifications', () => {
  const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X)'
  it.each<[string, { isSecure?: boolean; hasPush?: boolean; permission?: string; userAgent?: string }, string | undefined]>([
    ['HTTP', { isSecure: false }, 'insecure'],
    ['an iPhone whose page is no app', { userAgent: PHONE, hasPush: false }, 'homeScreen'],
    ['a browser without it', { hasPush: false }, 'unsupported'],
    ['a browser that blocks them', { permission: 'denied' }, 'blocked'],
    ['nothing, before the question', { permission: 'default' }, undefined],
    ['nothing, on an iPhone whose page is an app', { userAgent: PHONE }, undefined],
  ])('is %s', (_name, { isSecure = true, hasPush = true, permission = 'granted', userAgent = 'Firefox' }, obstacle) => {
    vi.stubGlobal('isSecureContext', isSecure)
    vi.stubGlobal('window', hasPush ? { PushManager: {} } : {})
    vi.stubGlobal('navigator', { userAgent, serviceWorker: {} })
    vi.stubGlobal('Notification', { permission })
    expect(notificationObstacle()).toBe(obstacle)
  })
})

describe('the title of the window', () => {
  const icon = { href: '' }
  beforeEach(() => vi.stubGlobal('document', { title: '', querySelector: () => icon }))
  const title = () => (globalThis as unknown as { document: { title: string } }).document.title

  it.each([
    [0, 'Servers · Vedette', '/icon.svg'],
    [1, '(1) Servers · Vedette', '>1<'],
    [99, '(99) Servers · Vedette', '>99<'],
    [100, '(100) Servers · Vedette', '>99+<'],
  ])('with %s open incidents is %s', (count, expected, inIcon) => {
    setPageTitle('Servers')
    setOpenIncidents(count)
    expect(title()).toBe(expected)
    expect(decodeURIComponent(icon.href)).toContain(inIcon)
    setOpenIncidents(0)
  })
})
