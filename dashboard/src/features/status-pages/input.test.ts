import type { StatusPage } from '@vedette/shared'
import { MAX_LOGO_BYTES, MAX_LOGO_LENGTH } from '@vedette/shared/tables'
import { describe, expect, it } from 'vitest'
import { isLogo, missingPassword, newPage, slugOf, toPageBody, toPageInput, withProposals } from './input.ts'
import { moved } from '../../lib/rows.ts'
import { componentsOf } from './queries.ts'

const PAGE: StatusPage = {
  id: 'spg_1',
  name: 'Public page',
  title: 'Acme status',
  slug: 'acme',
  description: '',
  language: 'de',
  time_zone: 'Europe/Berlin',
  theme: 'auto',
  accent: '#aa0000',
  logo: null,
  sections: [
    { name: 'Shop', monitors: ['mon_2', 'mon_1'], names: { mon_1: 'Checkout' }, show: ['uptime', 'regions'] },
    { name: 'Rest', tag: 'public', show: ['uptime'] },
  ],
  visibility: 'password',
  indexed: true,
  published: true,
  domain: null,
  templates: [{ name: 'Outage', title: 'Outage', text: 'We are investigating.', impact: 'major' }],
  url: 'https://vedette.example.com/status/acme',
  domain_status: null,
  domain_record: null,
  managed: null,
  created_at: '2026-11-22T09:31:12.000Z',
  updated_at: '2026-11-22T09:31:12.000Z',
}

describe('the status page editor', () => {
  it('changes nothing of a page that is saved without changes, and does not send its publication', () => {
    const { id: _id, url: _url, domain_status: _status, domain_record: _record, published: _published, ...rest } = PAGE
    const { managed: _managed, created_at: _created, updated_at: _updated, ...definition } = rest
    expect(toPageBody(toPageInput(PAGE))).toEqual(definition)
  })

  it.each([
    ['Acme status', 'acme-status'],
    ['  Störungen & Wartung! ', 'stoerungen-wartung'],
    ['Café – État', 'cafe-etat'],
    ['日本', ''],
    [`${'a'.repeat(62)} b`, 'a'.repeat(62)],
  ])('proposes of the title %j the address %j', (title, slug) => expect(slugOf(title)).toBe(slug))

  it('proposes title and address until they are typed', () => {
    const fresh = newPage('en', 'UTC', 'Acme status', 'Services', [])
    const named = { ...fresh, ...withProposals(fresh, { name: 'Shop' }) }
    expect(named).toMatchObject({ name: 'Shop', title: 'Shop', slug: 'shop' })
    expect(withProposals({ ...named, slug: 'own' }, { title: 'Shop status' })).toEqual({ title: 'Shop status' })
    expect(withProposals({ ...named, title: 'Other' }, { name: 'Shops' })).toEqual({ name: 'Shops', title: 'Other' })
  })

  it('proposes the organization as name, title and address, and a heading', () => {
    const body = toPageBody(newPage('en', 'UTC', 'Acme status', 'Services', []))
    expect(body).toMatchObject({
      name: 'Acme status',
      title: 'Acme status',
      slug: 'acme-status',
      sections: [{ name: 'Services' }],
    })
    expect(newPage('en', 'UTC', `${'a'.repeat(200)} status`, '', []).title).toBe('a'.repeat(200))
  })

  it('proposes no address of another page, also for a name that is typed', () => {
    const fresh = newPage('en', 'UTC', 'Acme', '', ['acme', 'acme-2', 'shop'])
    expect(fresh.slug).toBe('acme-3')
    const named = { ...fresh, ...withProposals(fresh, { name: 'Shop' }) }
    expect(named.slug).toBe('shop-2')
    expect(withProposals(named, { name: 'Store' }).slug).toBe('store')
    const long = 'a'.repeat(63)
    expect(newPage('en', 'UTC', long, '', [long]).slug).toBe(`${'a'.repeat(61)}-2`)
    expect(newPage('en', 'UTC', '日本', '', ['']).slug).toBe('')
  })

  it('sends of a section either its monitors or its tag, and public names of what it shows alone', () => {
    const input = toPageInput(PAGE)
    const [shop] = input.sections
    if (!shop) throw new Error('no section')
    const bodyOf = (part: Partial<typeof shop>) => toPageBody({ ...input, sections: [{ ...shop, ...part }] }).sections?.[0]
    expect(bodyOf({ monitors: ['mon_2'] })).toEqual({ name: 'Shop', monitors: ['mon_2'], show: ['uptime', 'regions'] })
    expect(bodyOf({ by: 'tag', tag: ' public ', names: { mon_1: ' ' } })).toEqual({
      name: 'Shop',
      tag: 'public',
      show: ['uptime', 'regions'],
    })
  })

  it('sends a password only where it is typed and used, and requires the first one', () => {
    const input = toPageInput(PAGE)
    expect(missingPassword(input)).toEqual([])
    expect(missingPassword({ ...input, hasPassword: false })).toEqual(['password'])
    expect(toPageBody({ ...input, password: 'visitors only' })).toMatchObject({ password: 'visitors only' })
    expect(toPageBody({ ...input, visibility: 'public', password: 'visitors only' })).not.toHaveProperty('password')
  })

  it('takes a logo whose data URI just fits', () => {
    const uri = (size: number) => `data:image/svg+xml;base64,${'A'.repeat(Math.ceil(size / 3) * 4)}`
    expect(uri(MAX_LOGO_BYTES).length).toBeLessThanOrEqual(MAX_LOGO_LENGTH)
    expect(isLogo({ type: 'image/png', size: MAX_LOGO_BYTES })).toBe(true)
    expect(isLogo({ type: 'image/png', size: MAX_LOGO_BYTES + 1 })).toBe(false)
    expect(isLogo({ type: 'image/bmp', size: 10 })).toBe(false)
  })

  it('moves an entry by one place', () => {
    expect(moved(['a', 'b', 'c'], 2, -1)).toEqual(['a', 'c', 'b'])
    expect(moved(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c'])
  })

  it('counts each monitor once, those of a tag as well', () => {
    const monitor = (id: string, tags: string[]) => ({ id, name: id, status: 'up' as const, waiting: false, since: null, tags })
    const monitors = [monitor('mon_1', ['public']), monitor('mon_2', []), monitor('mon_3', ['public'])]
    const states = { at: PAGE.created_at, monitors, servers: [], monitors_total: 3, servers_total: 0 }
    expect(componentsOf(PAGE.sections, states)).toEqual([
      { id: 'mon_2', name: 'mon_2' },
      { id: 'mon_1', name: 'Checkout' },
      { id: 'mon_3', name: 'mon_3' },
    ])
  })
})
