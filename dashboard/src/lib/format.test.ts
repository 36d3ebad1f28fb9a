import { describe, expect, it } from 'vitest'
import {
  bytes,
  cores,
  duration,
  orDash,
  milliseconds,
  parseDuration,
  percent,
  perSecond,
  typedDuration,
  uptime,
} from './format.ts'

describe('format', () => {
  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1_000, '1.0 kB'],
    [99_949, '99.9 kB'],
    [99_960, '100 kB'],
    [100_000, '100 kB'],
    [999_499, '999 kB'],
    [999_600, '1.0 MB'],
    [999_999_999, '1.0 GB'],
    [8_000_000_000, '8.0 GB'],
    [3e18, '3000 PB'],
  ])('%d bytes are shown as %s', (value, text) => expect(bytes(value)).toBe(text))

  it('shows unknown values as a dash, and zero as zero', () => {
    expect([percent(null), percent(undefined), orDash(null, String), uptime(null), milliseconds(undefined)]).toEqual(
      Array.from({ length: 5 }, () => '–'),
    )
    expect([percent(0), cores(1), cores(2), milliseconds(0), perSecond(0)]).toEqual(['0.0 %', '1 core', '2 cores', '0 ms', '0/s'])
  })

  it.each([
    [100, '100 %'],
    // 100 % only where it is exact.
    [99.99996, '99.99 %'],
    [99.95, '99.95 %'],
    [99.5, '99.50 %'],
    [0, '0.00 %'],
  ])('an uptime of %d is shown as %s', (value, text) => expect(uptime(value)).toBe(text))

  it.each([
    [0.001, '0.01 ms'],
    [0.034, '0.03 ms'],
    [0.42, '0.4 ms'],
    [9.96, '10.0 ms'],
    [10, '10 ms'],
    [999, '999 ms'],
    [999.6, '1.00 s'],
    [1_234, '1.23 s'],
    [12_345, '12.3 s'],
  ])('%d ms are shown as %s', (value, text) => expect(milliseconds(value)).toBe(text))

  it.each([
    [0, '0 s'],
    [-5, '0 s'],
    [59.6, '1 min'],
    [90, '1 min 30 s'],
    [3_600, '1 h'],
    [90_061, '1 d 1 h'],
    [86_460, '1 d'],
  ])('%d seconds are shown as %s', (value, text) => expect(duration(value)).toBe(text))
})

describe('a typed duration', () => {
  it.each([
    ['90', 90],
    [' 5 min ', 300],
    ['2m', 120],
    ['1 h 30 min', 5_400],
    ['1h30min', 5_400],
    ['1.5 h', 5_400],
    ['2 D', 172_800],
    // With the decimal comma of German.
    ['1,5 h', 5_400],
  ])('%s is %d s', (text, seconds) => expect(parseDuration(text)).toBe(seconds))

  it.each(['', 'soon', '5 minutes later', '-5 min', '1 h 30', '5 x', '1e3'])('%j is none', (text) =>
    expect(parseDuration(text)).toBeNaN(),
  )

  it.each([1, 60, 61, 5_400, 3_661, 86_400])('%d s come back from their text', (seconds) =>
    expect(parseDuration(typedDuration(seconds))).toBe(seconds),
  )
})
