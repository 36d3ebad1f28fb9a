import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTxtServer } from '../../../test/txt-server.ts'
import { createTxtLookup } from './lookup.ts'

let dns: Awaited<ReturnType<typeof startTxtServer>>
let server: string
beforeAll(async () => {
  dns = await startTxtServer(
    new Map<string, string[][] | number>([
      ['_vedette.status.example.com', [['vedette-page=abc'], ['v=spf1 ', '-all']]],
      ['_vedette.refused.example.com', 5],
    ]),
  )
  server = dns.address
})
afterAll(() => dns.close())

describe('a lookup of TXT records', () => {
  it('joins the parts of each value', async () => {
    const values = ['vedette-page=abc', 'v=spf1 -all']
    expect(await createTxtLookup([server])('_vedette.status.example.com')).toEqual({ values })
  })

  it('separates a missing record from a lookup that failed', async () => {
    expect(await createTxtLookup([server])('_vedette.other.example.com')).toEqual({ values: [] })
    expect(await createTxtLookup([server])('_vedette.refused.example.com')).toEqual({ code: 'EREFUSED' })
  })
})
