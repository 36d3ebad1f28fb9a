import { describe, expect, it } from 'vitest'
import { ago, bytes, cores, known, percent } from './format.ts'

describe('format', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.0 kB'],
    [99_949, '99.9 kB'],
    [100_000, '100 kB'],
    [8_000_000_000, '8.0 GB'],
    [3e18, '3000 PB'],
  ])('%d bytes are %s', (value, text) => expect(bytes(value)).toBe(text))

  it('shows what is not known as a dash, and a zero as a zero', () => {
    expect([percent(null), percent(undefined), known(null, String)]).toEqual(['–', '–', '–'])
    expect([percent(0), cores(1), cores(2)]).toEqual(['0.0 %', '1 core', '2 cores'])
  })

  it.each([
    [0, '0 s ago'],
    [-5, '0 s ago'],
    [89, '89 s ago'],
    [90, '2 min ago'],
    [5_399, '90 min ago'],
  ])('%d seconds back are %s', (seconds, text) => {
    const now = Date.parse('2026-11-20T18:00:00.000Z')
    expect(ago(new Date(now - seconds * 1_000).toISOString(), now)).toBe(text)
  })
})
