import { describe, expect, it } from 'vitest'
import { ApiError } from './errors.ts'
import { decodeId, encodeId, newId, parseId } from './ids.ts'

describe('ids', () => {
  it('come back from the wire as they are stored [WIRE-04]', () => {
    const uuid = newId()
    const id = encodeId('server', uuid)
    expect(id).toMatch(/^srv_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
    expect(decodeId('server', id)).toBe(uuid)
  })

  it('are ordered by time', () => {
    const ids = Array.from({ length: 1_000 }, newId)
    expect([...ids].sort()).toEqual(ids)
    expect(new Set(ids.map((id) => id.slice(19))).size).toBe(ids.length)
    expect(ids.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(id))).toBe(true)
  })

  it.each([
    '',
    'srv_',
    'srv_01h455vb4pex5vsknk084sn02',
    'srv_01h455vb4pex5vsknk084sn02qq',
    'srv_81h455vb4pex5vsknk084sn02q',
    'srv_01h455vb4pex5vsknk084sn0iq',
    'SRV_01h455vb4pex5vsknk084sn02q',
    'srv_01H455VB4PEX5VSKNK084SN02Q',
    'mon_01h455vb4pex5vsknk084sn02q',
    '01h455vb4pex5vsknk084sn02q',
    'srv-01h455vb4pex5vsknk084sn02q',
    'srv_01h455vb4pex5vsknk084sn02\0',
    'srv_01h455vb4pex5vsknk084sn02é',
    '018c8a5b-6b6b-7b6b-8b6b-6b6b6b6b6b6b',
  ])('%j is none of a server [WIRE-07, WIRE-08]', (text) => {
    expect(parseId('server', text)).toBeUndefined()
    expect(() => decodeId('server', text)).toThrow(ApiError)
  })
})
