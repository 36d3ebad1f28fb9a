import type { Db } from '../../../platform/db/index.ts'
import type { Received, ReceivedMetadata } from '../decoding/index.ts'
import { countFamilies, upsertFamilies } from '../storage/series-store.ts'

/** Characters of a help text that are kept. */
const HELP_LENGTH = 1_024
/** Organizations whose names are known here. */
const MAX_ORGANIZATIONS = 1_000

export interface FamilyRecorder {
  record(organization: number, received: Pick<Received, 'metadata'>, most: number): Promise<void>
}

/** Stores types, units and help texts of names when they change; no more names than series are allowed. */
export function createFamilyRecorder(db: Db): FamilyRecorder {
  const known = new Map<number, Map<string, string>>()

  function knownOf(organization: number): Map<string, string> {
    const own = known.get(organization) ?? new Map<string, string>()
    if (known.size > MAX_ORGANIZATIONS) known.clear()
    known.set(organization, own)
    return own
  }

  return {
    record: async (organization, { metadata }, most) => {
      if (metadata.length === 0) return
      const own = knownOf(organization)
      const all = new Map(metadata.map((one) => [one.name, kept(one)]))
      const news = [...all.values()].filter((one) => own.get(one.name) !== textOf(one))
      if (news.length === 0) return
      const isRoom = (await countFamilies(db, organization)) + news.length <= most
      const stored = isRoom ? news : news.filter(({ name }) => own.has(name))
      await upsertFamilies(db, organization, stored)
      for (const one of stored) own.set(one.name, textOf(one))
    },
  }
}

const kept = ({ help, ...one }: ReceivedMetadata): ReceivedMetadata => ({ ...one, help: help.slice(0, HELP_LENGTH) })
const textOf = ({ type, unit, help }: ReceivedMetadata): string => `${type}\n${unit}\n${help}`
