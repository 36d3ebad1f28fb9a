import type { HostCertificate } from '@vedette/shared'
import type { Db } from '../../platform/db/index.ts'
import { weaknessInFile } from './assess.ts'
import { type FileColumns, listFiles, replaceFiles, type ServerKey } from './file-store.ts'
import { nextState, toColumns } from './sighting.ts'
import { insertCertificates } from './sighting-store.ts'

/** Stores all certificates that the files of a host have now. The caller has locked the server. */
export async function recordHostCertificates(
  db: Db,
  key: ServerKey,
  certificates: readonly HostCertificate[],
  atMs: number,
): Promise<void> {
  const reported = certificates.filter(({ certificate: { chain } }) => (chain?.length ?? 0) > 0)
  const columns = reported.map(toColumns)
  const ids = await insertAll(db, key, columns, atMs)
  const before = await listFiles(db, key)
  const byPlace = new Map(before.map((one) => [placeOf(one), one]))
  const known = new Set(before.flatMap(({ certificateId, previous }) => [certificateId, ...previous]))
  const files = reported.flatMap(({ path, entry = '', certificate }, index): FileColumns[] => {
    const id = ids.get(columns[index]?.fingerprint.toString('hex') ?? '')
    if (id === undefined) return []
    const state = nextState(certificate, id, byPlace.get(placeOf({ path, entry })), { known, atMs })
    const weak = weaknessInFile([...(certificate.chain ?? []).slice(0, 1), ...state.chain])
    return [{ ...state, path, entry, weak }]
  })
  await replaceFiles(db, key, files)
}

const placeOf = ({ path, entry }: { path: string; entry: string }): string => `${path}\n${entry}`

/** By their fingerprints. One that another process is storing at this moment is there once its transaction has ended. */
async function insertAll(
  db: Db,
  { organization }: ServerKey,
  columns: readonly ReturnType<typeof toColumns>[],
  atMs: number,
): Promise<Map<string, string>> {
  const distinct = [...new Map(columns.map((one) => [one.fingerprint.toString('hex'), one])).values()]
  const given = distinct.map((one) => ({ ...one, organization, seenAt: new Date(atMs) }))
  const ids = new Map<string, string>()
  // The second statement sees what the first one waited for.
  for (let round = 0; round < 2 && ids.size < given.length; round++)
    for (const [key, id] of await insertCertificates(db, given)) ids.set(key.slice(key.indexOf(' ') + 1), id)
  return ids
}
