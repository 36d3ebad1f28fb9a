import { createHash } from 'node:crypto'
import { toCsvCell } from '@vedette/shared'
import type { Pool } from '../../platform/db/index.ts'
import { readSamples, type SampleHour } from '../../hosts/metrics/index.ts'
import { withSnapshotDb } from './copy-store.ts'
import type { ReportProgress } from './export.ts'
import { makeFile } from './new-file.ts'

export const SAMPLE_FORMATS = ['csv', 'jsonl', 'columns'] as const
export type SampleFormat = (typeof SAMPLE_FORMATS)[number]

export interface ExportedSamples {
  samples: number
  bytes: number
  /** Of the file, as `sha256sum` prints it. */
  sha256: string
}

interface Form {
  first(columns: readonly string[]): string
  hour(columns: readonly string[], hour: SampleHour): string
}

const instant = (ms: number): string => new Date(ms).toISOString()

const FORMS: Readonly<Record<SampleFormat, Form>> = {
  csv: {
    first: (columns) => `${['at', ...columns].map(toCsvCell).join(',')}\n`,
    hour: (columns, hour) => lines(columns, hour, (at, values) => [instant(at), ...values.map((value) => value ?? '')].join(',')),
  },
  jsonl: {
    first: () => '',
    hour: (columns, hour) => lines(columns, hour, (at, values) => JSON.stringify(documentOf(columns, at, values))),
  },
  columns: {
    first: () => '',
    hour: (columns, { atMs, valuesOf }) =>
      `${JSON.stringify(Object.fromEntries([['at_ms', atMs], ...columns.map((name) => [name, valuesOf(name)] as const)]))}\n`,
  },
}

type Values = readonly (number | null)[]

function lines(
  columns: readonly string[],
  { atMs, valuesOf }: SampleHour,
  toLine: (at: number, values: Values) => string,
): string {
  const byColumn = columns.map((name) => valuesOf(name))
  return atMs
    .map(
      (at, index) =>
        `${toLine(
          at,
          byColumn.map((values) => values[index] ?? null),
        )}\n`,
    )
    .join('')
}

/** Omits the fields that a sample does not have. */
function documentOf(columns: readonly string[], at: number, values: Values): Record<string, unknown> {
  const there = columns.map((name, index) => [name, values[index]] as const).filter(([, value]) => value !== null)
  return { at: instant(at), ...Object.fromEntries(there) }
}

/** Writes a snapshot of the samples of one server to a new file, with one hour in memory at a time. */
export function exportSamples(
  { pool, reportProgress }: { pool: Pool; reportProgress: ReportProgress },
  path: string,
  format: SampleFormat,
  server: { organization: number; number: number },
  window: { fromMs: number; toMs: number },
): Promise<ExportedSamples> {
  const { first, hour: toText } = FORMS[format]
  return withSnapshotDb(pool, async (db) => {
    const { columns, hours, read } = await readSamples(db, server, window)
    const sum = createHash('sha256')
    let [samples, done] = [0, 0]
    const bytes = await makeFile(path, async (file) => {
      const write = async (text: string) => {
        const chunk = Buffer.from(text)
        sum.update(chunk)
        await file.write(chunk)
      }
      await write(first(columns))
      for await (const hour of read()) {
        done += 1
        if (hour.atMs.length === 0) continue
        await write(toText(columns, hour))
        samples += hour.atMs.length
        reportProgress(done, hours, 'hours')
      }
    })
    return { samples, bytes, sha256: sum.digest('hex') }
  })
}
