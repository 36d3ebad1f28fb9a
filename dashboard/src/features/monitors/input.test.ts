import { describe, expect, it } from 'vitest'
import { spansOf } from '../../lib/phases.ts'
import { lostCredentials, toMonitorBody, toPatchBody, NEW_MONITOR, newAssertion } from './input.ts'

describe('the monitor editor', () => {
  it('names a monitor after its host where no name was entered', () => {
    expect(toMonitorBody({ ...NEW_MONITOR, url: ' https://shop.example.com/health ' })).toMatchObject({
      name: 'shop.example.com',
      url: 'https://shop.example.com/health',
      interval: 60,
    })
    expect(toMonitorBody({ ...NEW_MONITOR, url: 'shop' }).name).toBe('')
  })

  it('sends numbers where an operator compares numbers, texts elsewhere, and no value for operators without one', () => {
    const assertions = [
      newAssertion('status_code'),
      { key: 0, type: 'json_path', operator: 'equals', property: ' $.ok ', value: '1' },
      { key: 0, type: 'json_path', operator: 'less_than', property: '$.queue', value: '10' },
      { key: 0, type: 'header', operator: 'exists', property: 'etag', value: 'left over' },
      { key: 0, type: 'response_time', operator: 'less_than', property: '', value: '' },
    ]
    expect(toMonitorBody({ ...NEW_MONITOR, url: 'https://a.example', assertions }).assertions).toEqual([
      { type: 'status_code', operator: 'equals', value: 200 },
      { type: 'json_path', operator: 'equals', property: '$.ok', value: '1' },
      { type: 'json_path', operator: 'less_than', property: '$.queue', value: 10 },
      { type: 'header', operator: 'exists', property: 'etag' },
      // An empty value is sent as it is: the API names the missing field.
      { type: 'response_time', operator: 'less_than', value: '' },
    ])
  })

  it('sends a body only with methods that take one', () => {
    const input = { ...NEW_MONITOR, url: 'https://a.example', body: '{}' }
    expect([toMonitorBody(input).body, toMonitorBody({ ...input, method: 'POST' }).body]).toEqual([null, '{}'])
  })
})

describe('masked credentials in the editor', () => {
  const saved = {
    ...NEW_MONITOR,
    type: 'postgres',
    url: 'postgres://db.example.com:5432/app',
    credentials: { username: '•••', password: '•••' },
  }

  it('are sent as they are, which keeps the stored ones, and as nothing where they were emptied', () => {
    expect(toPatchBody(saved).credentials).toEqual(saved.credentials)
    expect(toPatchBody({ ...saved, credentials: { username: 'a', password: '' } }).credentials).toEqual({ username: 'a' })
  })

  it('have to be entered again once the address is of another origin, until it is the stored one again', () => {
    const moved = { ...saved, url: 'postgres://other.example.com:5432/app' }
    expect(lostCredentials(saved, saved)).toEqual([])
    expect(lostCredentials(saved, { ...saved, url: ' postgres://DB.example.com:5432/other ' })).toEqual([])
    expect(lostCredentials(saved, moved)).toEqual(['username', 'password'])
    expect(lostCredentials(saved, { ...moved, credentials: { username: 'a', password: '•••' } })).toEqual(['password'])
    expect(lostCredentials(saved, { ...moved, url: saved.url })).toEqual([])
  })

  it('have to be entered again for a new token endpoint and a new origin of a step', () => {
    const http = {
      ...NEW_MONITOR,
      url: 'https://a.example/',
      options: { oauth2_token_url: 'https://a.example/token', oauth2_client_id: 'a' },
      credentials: { oauth2_client_secret: '•••' },
    }
    const options = { ...http.options, oauth2_token_url: 'https://b.example/token' }
    expect(lostCredentials(http, { ...http, options })).toEqual(['oauth2_client_secret'])
    const inSteps = { ...NEW_MONITOR, type: 'steps', url: 'https://a.example/', credentials: { token: '•••' } }
    const to = (url: string) => ({ ...inSteps, options: { steps: [{ name: 'a', url }] } })
    expect([lostCredentials(to('/'), to('/b')), lostCredentials(to('/'), to('https://b.example/'))]).toEqual([[], ['token']])
  })

  it('have to be entered for a copy, for another type and for a test', () => {
    expect(lostCredentials(undefined, saved)).toEqual(['username', 'password'])
    expect(lostCredentials(saved, { ...saved, type: 'mysql' })).toEqual(['username', 'password'])
    expect(lostCredentials(undefined, { ...saved, credentials: { username: 'a', password: 'b' } })).toEqual([])
  })
})

describe('the phases of a check', () => {
  it('start where the previous one ended; a phase that did not happen is left out', () => {
    expect(spansOf({ dns_ms: 2, connect_ms: 3, tls_ms: null, first_byte_ms: 10.5, transfer_ms: 0 })).toEqual([
      { phase: 'dns', start: 0, length: 2 },
      { phase: 'connect', start: 2, length: 3 },
      { phase: 'first_byte', start: 5, length: 10.5 },
      { phase: 'transfer', start: 15.5, length: 0 },
    ])
  })
})
