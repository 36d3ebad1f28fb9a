import { describe, expect, it } from 'vitest'
import { spansOf } from '../../lib/phases.ts'
import { bodyOf, EMPTY_DRAFT, newAssertion } from './draft.ts'

describe('what the editor sends', () => {
  it('is called after its host where no name was given', () => {
    expect(bodyOf({ ...EMPTY_DRAFT, url: ' https://shop.example.com/health ' })).toMatchObject({
      name: 'shop.example.com',
      url: 'https://shop.example.com/health',
      interval: 60,
    })
    expect(bodyOf({ ...EMPTY_DRAFT, url: 'shop' }).name).toBe('')
  })

  it('has numbers where numbers are compared, texts elsewhere, and no value where none is', () => {
    const assertions = [
      newAssertion(),
      { key: 0, type: 'json_path', operator: 'equals', property: ' $.ok ', value: '1' },
      { key: 0, type: 'json_path', operator: 'less_than', property: '$.queue', value: '10' },
      { key: 0, type: 'header', operator: 'exists', property: 'etag', value: 'left over' },
      { key: 0, type: 'response_time', operator: 'less_than', property: '', value: '' },
    ]
    expect(bodyOf({ ...EMPTY_DRAFT, url: 'https://a.example', assertions }).assertions).toEqual([
      { type: 'status_code', operator: 'equals', value: 200 },
      { type: 'json_path', operator: 'equals', property: '$.ok', value: '1' },
      { type: 'json_path', operator: 'less_than', property: '$.queue', value: 10 },
      { type: 'header', operator: 'exists', property: 'etag' },
      // Left empty: the API says what is missing.
      { type: 'response_time', operator: 'less_than', value: '' },
    ])
  })

  it('has a body only where the method takes one', () => {
    const draft = { ...EMPTY_DRAFT, url: 'https://a.example', body: '{}' }
    expect([bodyOf(draft).body, bodyOf({ ...draft, method: 'POST' }).body]).toEqual([null, '{}'])
  })
})

describe('the waterfall', () => {
  it('begins each phase where the one before ended, and leaves out what did not happen', () => {
    expect(spansOf({ dns_ms: 2, connect_ms: 3, tls_ms: null, first_byte_ms: 10.5, transfer_ms: 0 })).toEqual([
      { phase: 'dns', start: 0, length: 2 },
      { phase: 'connect', start: 2, length: 3 },
      { phase: 'first_byte', start: 5, length: 10.5 },
      { phase: 'transfer', start: 15.5, length: 0 },
    ])
  })
})
