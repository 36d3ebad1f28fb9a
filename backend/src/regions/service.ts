import type { Region } from '@vedette/shared'
import type { Static } from 'typebox'
import { createSecretToken } from '../auth/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import * as store from './store.ts'

/** A region is online while one who makes its checks was heard of so lately: three requests for work missed. */
const ONLINE_MS = 90_000

interface RegionDeps {
  db: Db
  clock: Clock
}

/** All regions; they are the installation's, and the same for every organization. */
export async function listRegions({ db, clock }: RegionDeps): Promise<Static<typeof Region>[]> {
  const rows = await store.listRegions(db)
  return rows.map(({ id, name, alive_at: aliveAt }) => ({
    id,
    name,
    status: aliveAt !== null && clock.now() - aliveAt <= ONLINE_MS ? 'online' : 'offline',
  }))
}

/** A region that a probe elsewhere makes the checks of; its token, which is shown this once. Throws where the id is taken. */
export async function addRegion({ db, clock }: RegionDeps, id: string, name: string): Promise<string> {
  const { secret, hash } = createSecretToken('probeToken')
  if (!(await store.insertRegion(db, { id, name, tokenHash: hash }, new Date(clock.now()))))
    throw new Error(`There is a region ${id} already ("vedette region rotate-token ${id}" gives it a new token).`)
  return secret
}

/** A new token for the probes of a region; the one before is refused from now on. Throws where there is no such region. */
export async function rotateRegionToken({ db }: Pick<RegionDeps, 'db'>, id: string): Promise<string> {
  const { secret, hash } = createSecretToken('probeToken')
  if (!(await store.replaceRegionToken(db, id, hash)))
    throw new Error(`There is no region ${id} ("vedette region list" lists them).`)
  return secret
}
