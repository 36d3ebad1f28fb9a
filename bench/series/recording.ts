import { sleep } from '../lib/sleep.ts'
import type { Peer } from '../lib/peers.ts'

/** One series of a scrape: what each scrape said. */
export interface RecordedSeries {
  name: string
  labels: Record<string, string>
  isCounter: boolean
  /** Digits after the point of the longest value. */
  decimals: number
  values: Float64Array
}

const EVERY_MS = 250
const LINE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g

/** The series of an exporter that all of so many scrapes have, one scrape after the other. */
export async function recordScrapes({ port }: Peer, scrapes: number): Promise<RecordedSeries[]> {
  const found = new Map<string, Omit<RecordedSeries, 'values'> & { values: number[] }>()
  for (let scrape = 0; scrape < scrapes; scrape += 1) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    let type = ''
    for (const line of text.split('\n')) {
      if (line.startsWith('# TYPE ')) type = line.split(' ')[3] ?? ''
      const [, name, labels = '', value = ''] = LINE.exec(line) ?? []
      if (name === undefined) continue
      const key = `${name}{${labels}}`
      const own = found.get(key) ?? {
        name,
        labels: Object.fromEntries([...labels.matchAll(LABEL)].map(([, label = '', text = '']) => [label, text])),
        isCounter: type !== 'gauge',
        decimals: 0,
        values: [],
      }
      found.set(key, own)
      own.values.push(Number(value))
      own.decimals = Math.max(own.decimals, /[eE]/.test(value) ? decimalsOf(value) : (value.split('.')[1] ?? '').length)
    }
    await sleep(EVERY_MS)
  }
  return [...found.values()]
    .filter(({ values }) => values.length === scrapes)
    .map((one) => ({
      ...one,
      // Much of what counts has no type.
      isCounter: one.isCounter && one.values.every((value, index) => value >= (one.values[index - 1] ?? value)),
      values: Float64Array.from(one.values),
    }))
}

function decimalsOf(text: string): number {
  const [digits = '', exponent = '0'] = text.toLowerCase().split('e')
  return Math.max(0, (digits.split('.')[1] ?? '').length - Number(exponent))
}

/** What the hosts of a fleet say, step by step: each like the recorded one, with values and changes of its own. */
export interface Life {
  /** Values at this step of all series, in the order of the recording. Steps go up. */
  next(): Float64Array
}

/** Recorded changes that a step of 15 s adds up. */
const CHANGES = 15_000 / EVERY_MS
/** More decimals than these come from a division, and rounding to them would make them what they are not. */
const MOST_DECIMALS = 9

export function createLife(recorded: readonly RecordedSeries[], seed: number): Life {
  const random = randomOf(seed + 1)
  const scrapes = recorded[0]?.values.length ?? 0
  const state = Float64Array.from(recorded, ({ isCounter, values }) => {
    const first = values[0] as number
    return isCounter && first > 0 ? first * (1 + Math.floor(random() * 16) / 16) : first
  })
  for (const [index, one] of recorded.entries()) state[index] = rounded(state[index] as number, one.decimals)
  return {
    next: () => {
      // All series take the same moments: what happened at once happens at once.
      const moments = Array.from({ length: CHANGES }, () => 1 + Math.floor(random() * (scrapes - 1)))
      const [moment = 0] = moments
      return state.map((before, index) => {
        const { isCounter, decimals, values } = recorded[index] as RecordedSeries
        if (!isCounter) return (state[index] = values[moment] as number)
        let change = 0
        for (const at of moments) change += Math.max(0, (values[at] as number) - (values[at - 1] as number))
        return (state[index] = change === 0 ? before : rounded(before + change, decimals))
      })
    },
  }
}

const rounded = (value: number, decimals: number): number =>
  decimals > MOST_DECIMALS || !Number.isFinite(value) ? value : Number(value.toFixed(decimals))

function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
