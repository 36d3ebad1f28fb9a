import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { Head } from '../format.ts'
import { ArchiveError, readFrames, writeFrames } from '../frames.ts'
import { checkArchive } from '../import.ts'
import { makeFile } from '../new-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'vdt-frames-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const HEAD: Head = {
  id: 'one',
  made_at: '2026-11-20T18:00:00.000Z',
  version: '0.1.0',
  organization: null,
  migrations: ['0001-installation'],
  secret: null,
  tables: ['server', 'metric_push'].map((name) => ({ name, columns: ['id'], partitions: [], identity: null })),
}
const ROWS = [Buffer.from('first'), Buffer.alloc(300, 7), Buffer.from('third')]

async function collect<T>(given: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of given) all.push(one)
  return all
}

let files = 0
async function write(): Promise<string> {
  const path = join(folder, `whole-${(files += 1)}`)
  await makeFile(path, async (file) => {
    const frames = writeFrames(file)
    await frames.head(HEAD)
    for (const [number, rows] of ROWS.entries()) await frames.rows(number === 0 ? 0 : 1, rows)
    await frames.end({ rows: [1, 2] })
  })
  return path
}

const faultOf = async (bytes: Uint8Array): Promise<string> => {
  const path = join(folder, 'damaged')
  writeFileSync(path, bytes)
  const error = await checkArchive(path, () => undefined).then(
    () => undefined,
    (error: unknown) => error,
  )
  if (!(error instanceof ArchiveError)) throw new Error(`not refused in order: ${String(error)}`)
  expect(error.message).toContain(path)
  return error.message
}

describe('the file of an export', () => {
  it('contains what was written and is readable by its owner only', async () => {
    const path = await write()
    const frames = await collect(readFrames(path))
    expect(frames[0]).toMatchObject({ kind: 'head', head: HEAD })
    expect(frames.flatMap((frame) => (frame.kind === 'rows' ? [frame.tuples()] : []))).toEqual(ROWS)
    expect(frames.at(-1)).toMatchObject({ kind: 'end', end: { rows: [1, 2] }, endsAt: statSync(path).size })
    expect((statSync(path).mode & 0o777).toString(8)).toBe('600')
    expect(await checkArchive(path, () => undefined)).toMatchObject({ rows: { server: 1, metric_push: 2 } })
  })

  it('is refused if any bit is changed [ARCHIVE-03]', async () => {
    const whole = readFileSync(await write())
    for (let at = 0; at < whole.length; at += 1) {
      const damaged = Buffer.from(whole)
      damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << (at % 8)), at)
      expect(await faultOf(damaged)).toMatch(/is not an export of Vedette|(?:is damaged|is cut off) at byte \d+, in /)
    }
  })

  it('is refused if it is cut off at any byte, or has data after its end [ARCHIVE-03]', async () => {
    const whole = readFileSync(await write())
    for (let length = 0; length < whole.length; length += 1)
      expect(await faultOf(whole.subarray(0, length))).toMatch(/is not an export of Vedette|is cut off at byte \d+, in /)
    expect(await faultOf(Buffer.concat([whole, Buffer.from('x')]))).toMatch(/is damaged at byte \d+, in the data after its end/)
  })

  it('is refused with the position of the damage', async () => {
    const path = await write()
    const [, , second] = await collect(readFrames(path))
    const whole = readFileSync(path)
    const start = second?.endsAt ?? 0
    const damaged = Buffer.from(whole)
    damaged.writeUInt8(damaged.readUInt8(start + 12) ^ 1, start + 12)
    expect(await faultOf(damaged)).toContain(`is damaged at byte ${start}, in the rows of metric_push.`)
    expect(await faultOf(whole.subarray(0, start + 12))).toContain(`is cut off at byte ${start}, in the rows of metric_push.`)
  })

  it('is refused if frames changed places', async () => {
    const path = await write()
    const whole = readFileSync(path)
    const [a = 0, b = 0, c = 0, d = 0] = (await collect(readFrames(path))).map(({ endsAt }) => endsAt)
    expect(
      await faultOf(Buffer.concat([whole.subarray(0, b), whole.subarray(c, d), whole.subarray(b, c), whole.subarray(d)])),
    ).toMatch(/is damaged at byte/)
    expect(await faultOf(Buffer.concat([whole.subarray(0, a), whole.subarray(b)]))).toMatch(/is damaged at byte/)
  })
})

describe('makeFile', () => {
  it('removes a file that could not be written, and refuses a name that is in use [ARCHIVE-05]', async () => {
    const path = join(folder, 'never')
    const failing = makeFile(path, async (file) => {
      await file.write(Buffer.from('half'))
      throw new Error('no room')
    })
    await expect(failing).rejects.toThrow('no room')
    expect([existsSync(path), existsSync(`${path}.part`)]).toEqual([false, false])
    appendFileSync(path, 'somebody else')
    await expect(makeFile(path, async () => undefined)).rejects.toThrow(/exists already/)
    expect(readFileSync(path, 'utf8')).toBe('somebody else')
  })

  it('does not follow a symbolic link planted under the name of the unfinished file', async () => {
    const [path, victim] = [join(folder, 'planned'), join(folder, 'victim')]
    appendFileSync(victim, 'precious')
    symlinkSync(victim, `${path}.part`)
    await expect(makeFile(path, (file) => file.write(Buffer.from('rows')))).rejects.toThrow(`${path}.part exists already`)
    expect([readFileSync(victim, 'utf8'), existsSync(path)]).toEqual(['precious', false])
  })
})
