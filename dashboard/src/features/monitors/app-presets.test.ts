import { validateDefinition } from '@vedette/shared/tables'
import { describe, expect, it, test } from 'vitest'
import { APP_PRESETS, draftOf } from './app-presets.ts'
import { toInput } from './new-input.ts'
import { toMonitorBody } from './input.ts'
import { PROVIDERS } from './provider-catalogue.ts'

describe.each(APP_PRESETS.map((preset) => [preset.name, preset] as const))('the preset %s', (_, preset) => {
  it('is a monitor that the API accepts once a host is typed', () => {
    const draft = draftOf(preset, 'https://host.example:8443/other?x=1')
    expect(draft.url).toBe(`https://host.example:8443${preset.path}`)
    expect(validateDefinition(toMonitorBody(toInput({ type: 'http', ...draft })))).toEqual([])
  })

  it('leaves the host to be typed', () => {
    const draft = draftOf(preset, '')
    expect(draft.url).toBe(`${preset.scheme}://:${preset.port}${preset.path}`)
    const paths = validateDefinition(toMonitorBody(toInput({ type: 'http', ...draft, name: 'a' }))).map(({ path }) => path)
    expect(paths).toEqual(['url'])
  })
})

test('presets exist for the programs that the documentation names', () => {
  expect(APP_PRESETS.map(({ name }) => name)).toEqual([
    'AdGuard Home',
    'GitLab',
    'Grafana',
    'Home Assistant',
    'Jellyfin',
    'Nextcloud',
    'Pi-hole',
    'Plex',
    'Proxmox VE',
    'RabbitMQ',
    'TrueNAS',
    'Vaultwarden',
  ])
})

describe('the catalogue of providers', () => {
  const urls = Object.values(PROVIDERS)
  it('has sixty and more, each once, in the order of their names', () => {
    expect(urls.length).toBeGreaterThanOrEqual(60)
    expect(new Set(urls).size).toBe(urls.length)
    const names = Object.keys(PROVIDERS)
    expect(names).toEqual(names.toSorted((one, other) => one.localeCompare(other, 'en', { sensitivity: 'base' })))
  })
  it.each(urls)('%s is a monitor that the API accepts', (url) => {
    expect(new URL(url).protocol).toBe('https:')
    expect(validateDefinition({ type: 'upstream', url, interval: 60, options: { components: [] } })).toEqual([])
  })
})
