import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ALL_FIELDS, HOUR_MS } from '@vedette/shared'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mergeSamples, summarize } from '../aggregate/index.ts'
import { toMetricGroups } from '../query/answer.ts'
import { parsePush } from '../ingest/batch/push.ts'
import { toHour, toPiece } from '../storage/hour.ts'

const REPOSITORY = join(import.meta.dirname, '../../../../..')
const HOUR = 490_000
const NEW_ID = Math.max(...ALL_FIELDS.map(({ id }) => id)) + 1

/**
 * All that a field takes outside of the agent, done to a copy: the table of fields, and the page that a test holds to it. With the
 * sampler that reads it, that one's test and the CHANGELOG it is five files.
 */
const CHANGES = [
  {
    file: 'shared/src/hosts/metrics/fields.ts',
    before: '    resets_per_sec: rate(36),\n',
    after: `    resets_per_sec: rate(36),\n    orphans: field(${NEW_ID}, 'count'),\n`,
  },
  { file: 'docs/api.md', before: '`resets_per_sec`', after: '`resets_per_sec`, `orphans`' },
]

/** Run by the version that knows the field: what it makes of the blocks of this version, and blocks of its own. */
const PROGRAM = `
import { readFileSync } from 'node:fs'
import { summarize } from './src/hosts/metrics/aggregate/index.ts'
import { parsePush } from './src/hosts/metrics/ingest/batch/push.ts'
import { toMetricGroups } from './src/hosts/metrics/query/answer.ts'
import { toHour, toPiece } from './src/hosts/metrics/storage/hour.ts'
import { ALL_STORED, KNOWN_FIELD_IDS } from '@vedette/shared/metrics/block'
const { hour, old, body, limits } = JSON.parse(readFileSync(0, 'utf8'))
const push = parsePush(body, limits, () => ({ slotOf: () => undefined, isFull: () => true }))
const pieces = push.batches.flatMap((batch) => batch.pieces)
const window = { fromMs: 0, toMs: 1e15 }
const tcpOf = (stored) => toMetricGroups(summarize(stored, window, ['tcp']), ['tcp']).tcp
const own = pieces.map((piece) => ({ ...piece, digest: Buffer.from(piece.digest, 'latin1'), receivedAtMs: 2 }))
const bytes = (hex) => Buffer.from(hex, 'hex')
const stored = toPiece({ hour, data: bytes(old.data) }, ALL_STORED)
const merged = toHour(hour, [stored, ...own])
console.log(JSON.stringify({
  old: tcpOf([toPiece({ hour, data: bytes(old.data) }, KNOWN_FIELD_IDS)]),
  both: tcpOf([toPiece(merged, KNOWN_FIELD_IDS)]),
  block: Buffer.from(pieces[0].block).toString('hex'),
  t0Ms: pieces[0].t0Ms,
}))
`

const noSlots = () => ({ slotOf: () => undefined, isFull: () => true })
const limits = { oldestMs: 0, newestMs: 1e15 }
const WINDOW = { fromMs: 0, toMs: 1e15 }

const hex = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString('hex')

/** Samples of one second each, from this second of the hour on. */
function bodyOf(second: number, tcp: Record<string, number[]>) {
  const at_ms = [0, 1, 2].map((index) => HOUR * HOUR_MS + (second + index) * 1000)
  return {
    batch_id: '01890a5d-ac96-774b-bcce-b302099a8057',
    sent_at: '2026-11-20T18:30:00.000Z',
    agent_version: '1',
    columns: { at_ms, tcp },
  }
}

function piecesOf(body: unknown) {
  const { batches } = parsePush(body, limits, noSlots)
  return batches
    .flatMap(({ pieces }) => pieces)
    .map((piece) => ({ ...piece, digest: Buffer.from(piece.digest, 'latin1'), receivedAtMs: 1 }))
}

let copy: string
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'vdt-field-'))
  for (const part of ['package.json', 'shared', 'backend/src', 'backend/package.json', 'docs/api.md'])
    cpSync(join(REPOSITORY, part), join(copy, part), { recursive: true, filter: (path) => !/node_modules|\/test\//.test(path) })
  for (const pkg of ['shared', 'backend']) {
    const modules = join(REPOSITORY, pkg, 'node_modules')
    mkdirSync(join(copy, pkg, 'node_modules/@vedette'), { recursive: true })
    for (const name of readdirSync(modules).filter((one) => one !== '@vedette' && !one.startsWith('.')))
      symlinkSync(join(modules, name), join(copy, pkg, 'node_modules', name))
  }
  symlinkSync(join(copy, 'shared'), join(copy, 'backend/node_modules/@vedette/shared'))
  for (const { file, before, after } of CHANGES) {
    const text = readFileSync(join(copy, file), 'utf8')
    if (!text.includes(before)) throw new Error(`${file} has moved away from under this test`)
    writeFileSync(join(copy, file), text.replace(before, after))
  }
  writeFileSync(join(copy, 'backend/program.ts'), PROGRAM)
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

describe('a version with one more metric field', () => {
  it('requires changes to at most five files, reads the blocks of this version, and merges both [METRIC-30]', () => {
    expect(CHANGES.length + 3).toBeLessThanOrEqual(5)
    const stored = toHour(HOUR, piecesOf(bodyOf(0, { established: [3, 4, 5] })))
    const input = {
      hour: HOUR,
      old: { data: hex(stored?.data) },
      body: bodyOf(10, { established: [6, 7, 8], orphans: [1, 2, 9] }),
      limits,
    }
    const output = execFileSync(process.execPath, [join(copy, 'backend/program.ts')], {
      input: JSON.stringify(input),
      encoding: 'utf8',
    })
    const { old, both, block, t0Ms } = JSON.parse(output)
    expect(old).toMatchObject({ established: 5, orphans: null })
    expect(both).toMatchObject({ established: 8, orphans: 9 })

    // Back on this version, as during a rolling update: the field is skipped, and stays in compacted hours.
    const piece = { t0Ms, tLastMs: t0Ms + 2000, receivedAtMs: 3, digest: new Uint8Array(8), block: Buffer.from(block, 'hex') }
    expect(toMetricGroups(summarize([piece], WINDOW, ['tcp']), ['tcp'])).toEqual({
      tcp: expect.objectContaining({ established: 8 }),
    })
    const again = toHour(HOUR, [piece])
    const kept = mergeSamples(again ? [toPiece(again, new Set([NEW_ID]))] : [])
    expect([...kept.values]).toEqual([1, 2, 9])
  })
})
